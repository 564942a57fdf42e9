import { requireExactNumbers } from '../domain/exact-numbers.ts';
import { invalid } from '../domain/failure.ts';

const PROFILE_BYTES = 8 * 1024;

/** A profile as its column has it. Fails with `validation_failed`. */
export function profileText(profile: object): string {
  requireExactNumbers('profile', profile);
  const text = JSON.stringify(profile);
  if (Buffer.byteLength(text) <= PROFILE_BYTES) return text;
  throw invalid([
    { field: 'profile', rule: 'profile', message: 'profile must not have more than 8 KiB as JSON.' },
  ]);
}
