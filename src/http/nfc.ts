import { inNfc } from '../domain/stream-safe.ts';

/** Normalises these members of a body to NFC, where they are strings, before any rule is checked. */
export function normaliseMembers(body: unknown, names: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  const members = body as Record<string, unknown>;
  for (const name of names) {
    const value = members[name];
    if (typeof value === 'string') members[name] = inNfc(value);
  }
}

/**
 * The same as an option of a route. Fails for a password: only `HashingPool` makes it NFC, because an imported hash may
 * be one of the password as it was sent.
 */
export function normalised(...names: readonly string[]) {
  const password = names.find((name) => name.endsWith('password'));
  if (password !== undefined) throw new Error(`A route leaves ${password} as it was sent.`);
  return {
    preValidation: async (request: { body: unknown }) => normaliseMembers(request.body, names),
  };
}
