// Needs: processes.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { OperatorError } from '../../src/domain/operator-error.ts';
import { openForWriting } from '../../src/store/sqlite/connection.ts';
import { requireOwnLog } from '../../src/store/sqlite/log-origin.ts';
import { inTransaction } from '../../src/store/sqlite/transaction.ts';
import { temporaryFolder } from '../support/engines.ts';

const PAGE = 4096;
const SOURCES = new URL('../../src/store/sqlite/', import.meta.url);

/** What a crash leaves: the bytes of the file and those of its log. */
interface Left {
  readonly file: Buffer;
  readonly log: Buffer;
}

describe('The log next to a database file, before SQLite opens it', { concurrency: true }, () => {
  it('A log is refused next to every state of the file but the one before it and the one after it', async (t) => {
    const place = await emptyPlace(t);
    const database = await newDatabase(t, place);
    const left: Left[] = [];
    for (let round = 0; round < 6; round++) {
      // The same size, the same schema: nothing but what each log begins with tells them apart.
      await change(database, round);
      left.push(crash(place));
      database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    }
    for (const [file, one] of left.entries()) {
      for (const [log, other] of left.entries()) {
        // The next state is that of a checkpoint of the whole log.
        if (file === log || file === log + 1) requireOwnLog(await putBack(t, one.file, other.log));
        else await assertRefused(t, one.file, other.log, `file ${file} beside log ${log}`);
      }
    }
  });

  it('A log is refused next to a file from the same backup after other runs', async (t) => {
    const place = await emptyPlace(t);
    const database = await newDatabase(t, place);
    await change(database, 0);
    database.close();
    const backup = readFileSync(place);
    const [one, other] = [await runFrom(t, backup), await runFrom(t, backup)];
    await assertRefused(t, one.file, other.log, 'the file of one run, the log of another');
  });

  it('A log is refused next to a file that is empty, cut off, foreign or gone', async (t) => {
    const { log } = await leftByCrash(t);
    for (const file of [Buffer.alloc(0), Buffer.alloc(50), Buffer.alloc(PAGE, 'not a database')]) {
      await assertRefused(t, file, log, `a file of ${file.length} bytes`);
    }
    const place = await putBack(t, Buffer.alloc(0), log);
    await rm(place);
    assert.throws(() => requireOwnLog(place), OperatorError);
  });

  it('A log is found under the real name of its file', async (t) => {
    const { log } = await leftByCrash(t);
    const place = await putBack(t, Buffer.alloc(PAGE), log);
    const link = join(await temporaryFolder(t), 'link.db');
    symlinkSync(place, link);
    assert.throws(() => requireOwnLog(link), OperatorError);
  });

  it('A log belongs to its file after a checkpoint that was interrupted at any page', async (t) => {
    const { file, log } = await leftByCrash(t);
    const whole = afterCheckpoint(await putBack(t, file, log));
    assert.ok(whole.length > file.length, 'the file has grown');
    for (let pages = 0; pages <= whole.length / PAGE; pages++) {
      const part = Buffer.concat([whole.subarray(0, pages * PAGE), file.subarray(pages * PAGE)]);
      const place = await putBack(t, part, log);
      requireOwnLog(place);
      assertWhole(place);
    }
  });

  it('A log belongs to its file when the crash came at any byte of its beginning', async (t) => {
    const place = await emptyPlace(t);
    const database = await newDatabase(t, place);
    // The file's first page changes once more within the log that has ended.
    await insert(database, 10_000);
    database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    const ended = crash(place);
    await change(database, 2);
    const begun = crash(place);
    assert.notDeepEqual(begun.log.subarray(0, 32), ended.log.subarray(0, 32), 'the log has begun anew');
    const image = await putBack(t, ended.file, ended.log);
    for (let bytes = 0; bytes < 32 + 24 + PAGE; bytes += 4) {
      const written = begun.log.subarray(0, bytes);
      for (const log of [written, Buffer.concat([written, ended.log.subarray(bytes)])]) {
        writeFileSync(`${image}-wal`, log);
        requireOwnLog(image);
      }
    }
  });

  it('A log belongs to its file while another process writes one log after another', async (t) => {
    const place = await emptyPlace(t);
    const writer = spawn(process.execPath, ['--input-type=module', '-e', WRITER, place]);
    t.after(() => writer.kill('SIGKILL'));
    await once(writer.stdout, 'data');
    const logs = new Set<string>();
    while (logs.size < 50) {
      requireOwnLog(place);
      logs.add(readFileSync(`${place}-wal`).toString('latin1', 16, 24));
    }
    assert.equal(writer.exitCode, null);
    assert.equal(descriptorsOf(place), 1, 'the file was opened once');
  });
});

/** Writes as the service does, with a log of a few pages. */
const WRITER = `
import { openForWriting } from '${SOURCES}connection.ts';
import { inTransaction } from '${SOURCES}transaction.ts';
const database = openForWriting(process.argv[1]);
database.exec('PRAGMA wal_autocheckpoint = 4; PRAGMA synchronous = OFF; CREATE TABLE notes (text TEXT)');
for (let round = 0; ; round++) {
  await inTransaction(database, async () => database.exec("INSERT INTO notes VALUES ('x')"));
  if (round === 10) process.stdout.write('writing');
}`;

/** How many descriptors of this process belong to the file. */
function descriptorsOf(file: string): number {
  const places = readdirSync('/proc/self/fd').map((each) => {
    try {
      return readlinkSync(`/proc/self/fd/${each}`);
    } catch {
      // The descriptor of the listing itself is closed by now.
      return undefined;
    }
  });
  return places.filter((each) => each === file).length;
}

async function emptyPlace(t: TestContext): Promise<string> {
  return join(await temporaryFolder(t), 'stoa.db');
}

async function newDatabase(t: TestContext, place: string): Promise<DatabaseSync> {
  const database = openForWriting(place);
  t.after(() => database.isOpen && database.close());
  await inTransaction(database, async () =>
    database.exec('CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)'),
  );
  await inTransaction(database, async () => database.exec("INSERT INTO notes VALUES (1, '')"));
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  return database;
}

async function change(database: DatabaseSync, to: number): Promise<void> {
  await inTransaction(database, async () => database.exec(`UPDATE notes SET text = 'change ${to}'`));
}

/** Makes the file larger. */
async function insert(database: DatabaseSync, length: number): Promise<void> {
  const text = 'x'.repeat(length);
  await inTransaction(database, async () => database.exec(`INSERT INTO notes (text) VALUES ('${text}')`));
}

/** Makes a log that has the file's first page more than once, and more pages than the file. */
async function leftByCrash(t: TestContext): Promise<Left> {
  const place = await emptyPlace(t);
  const database = await newDatabase(t, place);
  for (const length of [10_000, 20_000]) await insert(database, length);
  return crash(place);
}

/** The same writes after the same backup, up to a crash in the second log. */
async function runFrom(t: TestContext, backup: Buffer): Promise<Left> {
  const place = await emptyPlace(t);
  writeFileSync(place, backup);
  const database = openForWriting(place);
  t.after(() => database.close());
  await change(database, 1);
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  await change(database, 2);
  return crash(place);
}

function crash(place: string): Left {
  return { file: readFileSync(place), log: readFileSync(`${place}-wal`) };
}

async function putBack(t: TestContext, file: Buffer, log: Buffer): Promise<string> {
  const place = await emptyPlace(t);
  writeFileSync(place, file);
  writeFileSync(`${place}-wal`, log);
  return place;
}

async function assertRefused(t: TestContext, file: Buffer, log: Buffer, what: string): Promise<void> {
  const place = await putBack(t, file, log);
  assert.throws(() => requireOwnLog(place), OperatorError, what);
  assert.deepEqual(crash(place), { file, log });
}

function afterCheckpoint(place: string): Buffer {
  const database = new DatabaseSync(place);
  database.exec('PRAGMA wal_checkpoint(PASSIVE)');
  const file = readFileSync(place);
  database.close();
  return file;
}

function assertWhole(place: string): void {
  const database = new DatabaseSync(place);
  try {
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    assert.deepEqual({ ...database.prepare('SELECT count(*) AS count FROM notes').get() }, { count: 3 });
  } finally {
    database.close();
  }
}
