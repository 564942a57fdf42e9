import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { login } from '../client.ts';
import { startProcess } from '../process.ts';
import { accountsIn, writeAccounts } from './files.ts';
import { type Measured, measured } from './measured.ts';

const OURS = /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/;

export interface Report {
  readonly imported: Measured;
  readonly again: Measured;
  readonly exported: Measured;
  readonly copied: Measured;
}

/**
 * Imports accounts in five foreign formats beside a running service, and once more; signs in with each format; exports
 * all, compares them with the file, and imports the export into another database, whose export is the same byte for
 * byte. `one` and `other` are the settings of two empty databases.
 */
export async function roundTrip(
  folder: string,
  count: number,
  one: Record<string, string>,
  other: Record<string, string>,
): Promise<Report> {
  const [file, out, copy] = ['in', 'out', 'copy'].map((name) => join(folder, `${name}.ndjson`)) as [
    string,
    string,
    string,
  ];
  const first = await writeAccounts(file, count);
  const service = await startProcess({ after: () => {} }, one);
  try {
    const imported = await measured(['users', 'import', file], one);
    assert.match(
      imported.stdout,
      new RegExp(`^${count} accounts were imported, 0 were there already, 0 `, 'm'),
    );
    const again = await measured(['users', 'import', file], one);
    assert.match(again.stdout, new RegExp(`^0 accounts were imported, ${count} were there already, 0 `, 'm'));
    for (const username of first.values()) await login(service.url, username);
    const exported = await measured(['users', 'export', out], one);
    assert.equal(await compare(file, out), first.size);

    await measured(['migrate'], other);
    const copied = await measured(['users', 'import', out], other);
    await measured(['users', 'export', copy], other);
    assert.equal(await digest(copy), await digest(out));
    return { imported, again, exported, copied };
  } finally {
    await service.stop('SIGTERM');
  }
}

/** All accounts must be the same and in the same order. Returns how many have a hash of ours instead of their own. */
async function compare(before: string, after: string): Promise<number> {
  const found = accountsIn(after);
  let renewed = 0;
  for await (const expected of accountsIn(before)) {
    const { value } = await found.next();
    const isRenewed = OURS.test(value?.password_hash);
    if (isRenewed) renewed += 1;
    assert.deepEqual(value, isRenewed ? { ...expected, password_hash: value?.password_hash } : expected);
  }
  assert.ok((await found.next()).done, 'no account more');
  return renewed;
}

async function digest(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}
