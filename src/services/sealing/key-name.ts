import { createHmac } from 'node:crypto';
import type { Notice } from '../../domain/notice.ts';
import { readKeyFile } from './key-file.ts';
import { opens } from './sealing.ts';

interface KeyPlace {
  /** The key of a setting. Undefined if it is in the file. */
  readonly given: Uint8Array | undefined;
  /** Our own key file. */
  readonly file: string;
  readonly notice: Notice;
}

/**
 * The name of the key at this place, if it opens the check of a database (secrets.ts). Null if there is no key, or
 * another one. A name is public: 16 hexadecimal digits, from which nobody finds the key.
 */
export function nameOfFittingKey({ given, file, notice }: KeyPlace, check: string): string | null {
  const key = given ?? readKeyFile(file, notice);
  if (!key || !opens(key, check)) return null;
  return createHmac('sha256', key).update('name of a sealing key').digest('hex').slice(0, 16);
}
