import { streamSafe } from '../domain/stream-safe.ts';

/** One spelling for what looks the same (NFC): these members of a body, where they are strings, before any rule is checked. */
export function normaliseMembers(body: unknown, names: readonly string[]): void {
  if (typeof body !== 'object' || body === null) return;
  const members = body as Record<string, unknown>;
  for (const name of names) {
    const value = members[name];
    if (typeof value === 'string') members[name] = streamSafe(value).normalize('NFC');
  }
}
