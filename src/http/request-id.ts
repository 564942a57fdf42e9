import { randomBytes } from 'node:crypto';

/** Makes request ids: unique over restarts and instances by the random part, cheap by the counted one. */
export function requestIds(): () => string {
  const start = randomBytes(6).toString('base64url');
  let count = 0;
  return () => `${start}-${(count++).toString(36)}`;
}
