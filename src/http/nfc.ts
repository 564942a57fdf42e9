import { streamSafe } from '../domain/stream-safe.ts';

/** The text in NFC. */
export function inNfc(text: string): string {
  return streamSafe(text).normalize('NFC');
}

/** Normalises these members of a body to NFC, where they are strings, before any rule is checked. */
export function normaliseMembers(body: unknown, names: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  const members = body as Record<string, unknown>;
  for (const name of names) {
    const value = members[name];
    if (typeof value === 'string') members[name] = inNfc(value);
  }
}

/** The same as an option of a route. */
export function normalised(...names: readonly string[]) {
  return {
    preValidation: async (request: { body: unknown }) => normaliseMembers(request.body, names),
  };
}
