import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** AES-256-GCM with a random nonce of 96 bits (NIST SP 800-38D). */
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** No text that was stored before sealing existed begins like this. */
const PREFIX = 'sealed.1.';

/** Where a sealed text is stored. It cannot be opened at another place. */
export interface Place {
  readonly table: string;
  /** The primary key of the row. */
  readonly row: string;
  readonly column: string;
}

/** Encrypts the text under a key of 32 bytes, bound to its place: "sealed.1." and base64url(nonce | text | tag). */
export function seal(key: Uint8Array, place: Place, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bytesOf(place));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return PREFIX + sealed.toString('base64url');
}

/** Undefined if the text was sealed under another key or at another place, was changed, or is not sealed. */
export function unseal(key: Uint8Array, place: Place, text: string): string | undefined {
  const bytes = Buffer.from(isSealed(text) ? text.slice(PREFIX.length) : '', 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(bytesOf(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const opened = [decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()];
    return Buffer.concat(opened).toString('utf8');
  } catch {
    return undefined;
  }
}

export function isSealed(text: string): boolean {
  return text.startsWith(PREFIX);
}

function bytesOf({ table, row, column }: Place): Buffer {
  return Buffer.from(JSON.stringify([table, row, column]));
}
