import { invalid } from '../domain/failure.ts';

const PROFILE_BYTES = 8 * 1024;

/** A profile as its column has it. Fails with `validation_failed`. */
export function profileText(profile: object): string {
  const text = JSON.stringify(profile, (_name, value: unknown) => {
    if (typeof value === 'number' && !Number.isFinite(value))
      throw wrongProfile('a number that is too large');
    return value;
  });
  if (Buffer.byteLength(text) > PROFILE_BYTES) throw wrongProfile('more than 8 KiB as JSON');
  return text;
}

function wrongProfile(what: string) {
  return invalid([{ field: 'profile', rule: 'profile', message: `profile must not have ${what}.` }]);
}
