import { createReadStream, createWriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { accounts } from '../../../bench/datasets/accounts.ts';
import { FOREIGN_FORMATS, type ForeignFormat, foreignHash } from '../foreign-hashes.ts';

/** A line of an import or an export. */
export interface AccountLine {
  readonly username: string;
  readonly email: string;
  readonly password_hash: string;
  readonly role: string;
  readonly created_at: string;
  readonly disabled: boolean;
  readonly email_verified: boolean;
}

/** Who signs in after the import: the first account of each format. */
export type FirstOf = ReadonlyMap<ForeignFormat, string>;

/** Writes the accounts of the benchmark's data set, with hashes of all formats in turn. Every 50th is disabled, and every third
 * has a proved address. */
export async function writeAccounts(file: string, count: number): Promise<FirstOf> {
  const first = new Map<ForeignFormat, string>();
  function* lines() {
    let index = 0;
    for (const { username, email, created_at } of accounts(count)) {
      const format = FOREIGN_FORMATS[index % FOREIGN_FORMATS.length] ?? 'bcrypt';
      if (!first.has(format)) first.set(format, username);
      const line: AccountLine = {
        username,
        email,
        password_hash: foreignHash(format),
        role: index % 1_000 === 7 ? 'editor' : 'member',
        created_at: new Date(created_at).toISOString(),
        disabled: index % 50 === 49,
        email_verified: index % 3 === 0,
      };
      index += 1;
      yield `${JSON.stringify(line)}\n`;
    }
  }
  await pipeline(lines, createWriteStream(file));
  return first;
}

/** The accounts of a file, one after another. */
export async function* accountsIn(file: string): AsyncGenerator<AccountLine> {
  for await (const line of createInterface({ input: createReadStream(file) })) yield JSON.parse(line);
}
