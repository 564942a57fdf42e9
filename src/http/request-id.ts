import { randomBytes } from 'node:crypto';

/** Makes request ids. The random part makes them unique over restarts and instances; the counted part is cheap. */
export function requestIds(): () => string {
  const start = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}
