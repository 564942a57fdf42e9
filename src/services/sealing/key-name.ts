import { createHmac } from 'node:crypto';
import { readKeyFile } from './key-file.ts';
import { type KeyPlace, nextKeyFile, opens } from './sealing.ts';

/**
 * The name of the key at this place, if it opens the check of a database (secrets.ts). Null if there is no key, or
 * another one. A name is public: 16 hexadecimal digits, from which nobody finds the key.
 */
export function nameOfFittingKey(
  { given, file, notice }: Omit<KeyPlace, 'name'>,
  check: string,
): string | null {
  // A kill may have left the new key beside its place, where the next start finds it.
  const keys = given ? [given] : [readKeyFile(file, notice), readKeyFile(nextKeyFile(file), notice)];
  const key = keys.find((each) => each && opens(each, check));
  if (!key) return null;
  return createHmac('sha256', key).update('name of a sealing key').digest('hex').slice(0, 16);
}
