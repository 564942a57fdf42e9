// Needs: processes.

import assert from 'node:assert/strict';
import { copyFile, open, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { restore } from '../../src/cli/restore.ts';
import { MIGRATIONS } from '../../src/schema/index.ts';
import { newKeyText } from '../../src/services/sealing/key.ts';
import { newDigest, readFooter, readHeader } from '../../src/transfer/backup/format.ts';
import { verifyBackup } from '../../src/transfer/backup/verify.ts';
import { backUpHere } from '../support/backup.ts';
import { newAccount, newItem } from '../support/client.ts';
import { type CommandResult, stoa } from '../support/command.ts';
import { commandHere } from '../support/command-here.ts';
import { lifetimeOfSuite, temporaryFolder } from '../support/engines.ts';
import { newSqlitePlace, PLACES } from '../support/place.ts';
import { SEALING_KEY } from '../support/sealing.ts';
import { randomFrom } from '../support/seed.ts';
import { startHere } from '../support/service.ts';

const CUT_OR_CHANGED = / was cut off or changed after it was written; .* Nothing was restored\.$/;
const NO_BACKUP = / is no backup of Stoa, or its beginning is damaged\.$/;
const NEXT = { name: '9999_next', effect: { does: 'Does nothing.' }, statements: () => [] };
const SAMPLES = 150;

type NewPlace = (typeof PLACES)[number]['newPlace'];

const lifetime = lifetimeOfSuite();
const backups = new Map<NewPlace, ReturnType<typeof newSmallBackup>>();

for (const { name, newPlace, newEmptyPlace } of PLACES) {
  describe(`Refusals of a backup of ${name}`, { concurrency: 1 }, () => {
    it('A backup of a newer or an older version is refused with the version that made it', async () => {
      const { file } = await smallBackup(newPlace);
      await assert.rejects(
        verify(file, MIGRATIONS.slice(0, -1)),
        /made by a newer or another version .* restore it with Stoa \d+\.\d+\.\d+\. Nothing was restored\.$/,
      );
      await assert.rejects(
        verify(file, [...MIGRATIONS, NEXT]),
        /made by an older version .* restore it with Stoa \S+, and then upgrade\. Nothing was restored\.$/,
      );
    });

    it('A backup is restored only into an empty database that nobody uses, and names the key that it needs', async (t) => {
      const { file, place, key } = await smallBackup(newPlace);
      const settings = { DATABASE_URL: place.url };
      const state = await place.state();
      refused(await restoreHere(settings, file), / is not empty: "users" has rows; /);
      assert.equal(await place.state(), state);
      const server = await startHere(t, settings);
      refused(await restoreHere(settings, file), /^A running server or another move uses the /);
      assert.equal((await fetch(`${server.url}/readyz`)).status, 200);

      const elsewhere = { DATABASE_URL: (await newEmptyPlace(t)).url };
      const without = { ...elsewhere, SEALING_KEY: newKeyText() };
      const restored = await restoreHere(without, file);
      assert.equal(restored.code, 0, restored.stderr);
      assert.ok(restored.stdout.includes(`Note: the sealing key ${key} of this backup is not in `));
      await assert.rejects(startHere(t, without), { message: / is sealed under another key / });
      await startHere(t, elsewhere);
    });
  });
}

describe('Refusals of `stoa backup` and `stoa restore`', { concurrency: 1 }, () => {
  it('A backup that was cut off or changed by one byte anywhere is refused before anything is written', async (t) => {
    const random = randomFrom(t);
    const { file, bytes } = await smallBackup(newSqlitePlace);
    const folder = await temporaryFolder(t);
    const copy = join(folder, 'copy.zst');
    const ends = Array.from({ length: 60 }, (_, at) => [at, bytes.length - 1 - at]).flat();
    const places = [...ends, ...Array.from({ length: SAMPLES }, () => Math.floor(random() * bytes.length))];
    for (const place of places) {
      const changed = Buffer.from(bytes);
      changed[place] = (changed[place] ?? 0) ^ (1 << Math.floor(random() * 8));
      await writeFile(copy, changed);
      await assert.rejects(verify(copy), isRefusal, `changed at ${place} of ${bytes.length}`);
      await writeFile(copy, bytes.subarray(0, place));
      await assert.rejects(verify(copy), isRefusal, `cut off at ${place} of ${bytes.length}`);
    }
    await writeFile(copy, Buffer.concat([bytes, Buffer.alloc(1)]));
    await assert.rejects(verify(copy), isRefusal, 'a byte more');
    await copyFile(file, copy);
    await verify(copy);

    const changed = Buffer.from(bytes);
    changed[bytes.length >> 1] = (changed[bytes.length >> 1] ?? 0) ^ 1;
    await writeFile(copy, changed);
    const to = `sqlite:${join(folder, 'new', 'stoa.db')}`;
    refused(await stoa(['restore', copy, '--to', to]), CUT_OR_CHANGED);
    assert.deepEqual(await readdir(folder), ['copy.zst'], 'no database was made');
  });

  it('A file with a right digest whose header or footer Stoa did not write is refused before anything is written', async (t) => {
    const { bytes } = await smallBackup(newSqlitePlace);
    const copy = join(await temporaryFolder(t), 'copy.zst');
    const { header, footer } = await partsOf(bytes);
    const [first, ...others] = header.tables;
    const [written, ...all] = footer.tables;
    const headers = [
      'null',
      '{',
      '[]',
      '7',
      ...['stoa', 'engine', 'made_at', 'database', 'schema', 'sealing', 'tables'].map((name) =>
        JSON.stringify({ ...header, [name]: undefined }),
      ),
      ...[
        { made_at: 1e300 },
        { stoa: '\u001b[2J' },
        { sealing: { check: null, key: '\u001b[2J' } },
        { tables: [null] },
        { tables: [first, ...header.tables] },
        { tables: [{ ...first, name: '\u001b[2J' }, ...others] },
        { tables: [{ ...first, key: ['\u001b[2J'] }, ...others] },
        { tables: [{ ...first, columns: [{ name: '\u001b[2J', type: 'text' }] }, ...others] },
        { format: 2, stoa: '\u001b[2J' },
      ].map((change) => JSON.stringify({ ...header, ...change })),
    ];
    const footers = [
      'null',
      '{',
      '{}',
      JSON.stringify({ tables: all }),
      JSON.stringify({ tables: [{ ...written, rows: '1' }, ...all] }),
      JSON.stringify({ tables: [{ ...written, last_id: -1 }, ...all] }),
    ];
    for (const change of [
      ...headers.map((each) => ({ header: each })),
      ...footers.map((each) => ({ footer: each })),
    ]) {
      await writeFile(copy, await remade(bytes, change));
      await assert.rejects(verify(copy), isRefusal, JSON.stringify(change).slice(0, 200));
    }
    await writeFile(copy, await remade(bytes, { rows: Buffer.alloc(0) }));
    await assert.rejects(verify(copy), isRefusal);
    await writeFile(copy, await remade(bytes, {}));
    await verify(copy);
    await writeFile(
      copy,
      await remade(bytes, { header: JSON.stringify({ ...header, format: 2, stoa: '9.0.0-rc.1' }) }),
    );
    await assert.rejects(verify(copy), /restore it with Stoa 9\.0\.0-rc\.1\. Nothing/);
  });

  it('A file with a right digest whose rows Stoa did not write is refused in one sentence, which says what to do', async (t) => {
    const { bytes } = await smallBackup(newSqlitePlace);
    const folder = await temporaryFolder(t);
    const { rows } = await partsOf(bytes);
    const lines = rows.split('\n');
    const batch = lines.findIndex((each) => each.startsWith('['));
    const changed = (line: string) => zstdCompressSync(lines.with(batch, line).join('\n'));
    for (const [name, wrong] of Object.entries({
      'no zstd': Buffer.from('These are no rows.'),
      'no rows': zstdCompressSync(''),
      'cut off': zstdCompressSync(rows.slice(0, rows.length / 2)),
      'no JSON': changed('{]'),
      null: changed('null'),
      'no lists': changed('[null]'),
      'an object': changed('[[{}]]'),
      'too few values': changed('[[1]]'),
      'texts for numbers': changed((lines[batch] ?? '').replaceAll(/(?<=[[,])\d+/g, '"\\u001b[2J"')),
      'a long line': zstdCompressSync(Buffer.alloc(65 * 1024 * 1024, 'a')),
    })) {
      const file = join(folder, `${name}.zst`);
      await writeFile(file, await remade(bytes, { rows: wrong }));
      const to = `sqlite:${join(folder, name, 'stoa.db')}`;
      assert.match(
        await refusalOf(file, to),
        /^The rows of the backup \/.* are not as Stoa writes them; take another copy of it, and restore that into an empty database\. The unfinished SQLite database \/.*\/stoa\.db, which this restore had made, was removed\.$/,
      );
      assert.deepEqual(await readdir(join(folder, name)), ['stoa.db-lock'], name);
    }
  });

  it('A restore of a good file works after one of a file that Stoa did not write, and only what that one made was removed', async (t) => {
    const { file, bytes } = await smallBackup(newSqlitePlace);
    const folder = await temporaryFolder(t);
    const [bad, database] = [join(folder, 'bad.zst'), join(folder, 'stoa.db')];
    await writeFile(bad, await remade(bytes, { rows: zstdCompressSync('null') }));
    const to = `sqlite:${database}`;
    assert.match(await refusalOf(bad, to), / was removed\.$/);
    const good = await restoreHere({}, file, to);
    assert.equal(good.code, 0, good.stderr);
    const state = await readFile(database);
    assert.match(await refusalOf(bad, to), / is not empty: .*; give an empty database\.$/);
    assert.deepEqual(await readFile(database), state);

    const empty = join(folder, 'empty.db');
    await writeFile(empty, '');
    assert.match(
      await refusalOf(bad, `sqlite:${empty}`),
      /are not as Stoa writes them; .* into an empty database\.$/,
    );
    assert.ok((await readdir(folder)).includes('empty.db'), 'the file was there before');
  });

  it('Why the rows of a backup could not be read is printed with LOG_LEVEL=debug only, because a fault of Stoa looks the same', async (t) => {
    const { bytes } = await smallBackup(newSqlitePlace);
    const folder = await temporaryFolder(t);
    const file = join(folder, 'copy.zst');
    const to = `sqlite:${join(folder, 'stoa.db')}`;
    for (const [rows, cause] of [
      ['"\u009b2J', /^SyntaxError: .*JSON.*\n {4}at JSON\.parse/m],
      ['"nothing"', /^TypeError: The next line does not name the table "\w+"\.\n {4}at /m],
    ] as const) {
      await writeFile(file, await remade(bytes, { rows: zstdCompressSync(rows) }));
      const { code, stderr } = await restoreHere({ LOG_LEVEL: 'debug' }, file, to);
      assert.equal(code, 1);
      assert.match(stderr, cause);
      assert.match(stderr, /^The rows of the backup .* are not as Stoa writes them; /m);
      assert.ok(!stderr.includes('\u009b'), stderr);
    }
    refused(await restoreHere({}, file, to), / are not as Stoa writes them; /);
  });

  it('A row of another program that cannot be restored is named without what acts on a terminal', async (t) => {
    const { bytes } = await smallBackup(newSqlitePlace);
    const folder = await temporaryFolder(t);
    const lines = (await partsOf(bytes)).rows.split('\n');
    const table = lines.indexOf('"username_skeletons"');
    const wrong = lines.with(table + 1, JSON.stringify([['\u001b[2J', 1, 2 ** 60]]));
    const file = join(folder, 'copy.zst');
    await writeFile(file, await remade(bytes, { rows: zstdCompressSync(wrong.join('\n')) }));
    assert.match(
      await refusalOf(file, `sqlite:${join(folder, 'stoa.db')}`),
      / has the number 1152921504606847000 in the row \\u001b\[2J, which is too large/,
    );
  });

  it('`stoa backup` replaces no file, and backs up no database that does not exist', async (t) => {
    const { file, bytes, place } = await smallBackup(newSqlitePlace);
    const settings = { DATABASE_URL: place.url };
    refused(await stoa(['backup', file], { settings }), /exists already; name another one, or remove it\.$/);
    assert.deepEqual(await readFile(file), bytes);
    const folder = await temporaryFolder(t);
    const nothing = { DATA_DIR: join(folder, 'data') };
    refused(
      await stoa(['backup', join(folder, 'new')], { settings: nothing }),
      /^There is no database of Stoa at /,
    );
    assert.deepEqual(await readdir(folder), []);
  });

  it('`stoa backup` without a name makes a file of one user in BACKUP_DIR, and "-" writes to standard output', async (t) => {
    const { place, key } = await smallBackup(newSqlitePlace);
    const BACKUP_DIR = join(await temporaryFolder(t), 'made', 'here');
    const settings = { DATABASE_URL: place.url, BACKUP_DIR };
    const made = await stoa(['backup'], { settings });
    assert.equal(made.code, 0, made.stderr);
    assert.ok(made.stderr.includes(` a restore needs the sealing key ${key},`), made.stderr);
    const [name = ''] = await readdir(BACKUP_DIR);
    assert.match(name, /^stoa-\d{8}T\d{6}Z\.ndjson\.zst$/);
    await verify(join(BACKUP_DIR, name));
    const piped = await stoa(['backup', '-'], { settings });
    assert.equal(piped.code, 0, piped.stderr);
    assert.ok(piped.stdout.includes('"format":1'), 'the header is readable');
  });

  it('`stoa restore --to` a file names the key that is not beside that file, also where the service has it', async (t) => {
    const { file, key } = await smallBackup(newSqlitePlace);
    const [DATA_DIR, drill] = [await temporaryFolder(t), await temporaryFolder(t)];
    await writeFile(join(DATA_DIR, 'sealing.key'), SEALING_KEY, { mode: 0o600 });
    const to = `sqlite:${join(drill, 'stoa.db')}`;
    const { code, stdout, stderr } = await restoreHere({ DATA_DIR }, file, to);
    assert.equal(code, 0, stderr);
    const note = `Note: the sealing key ${key} of this backup is not in ${join(drill, 'sealing.key')}.`;
    assert.ok(stdout.includes(note), stdout);
  });

  it('`stoa restore` refuses a file that is missing or no backup, and a folder', async (t) => {
    const folder = await temporaryFolder(t);
    const to = `sqlite:${join(folder, 'stoa.db')}`;
    assert.match(await refusalOf(join(folder, 'missing'), to), /^The backup .*missing cannot be read: .*\.$/);
    await writeFile(join(folder, 'text'), 'This is no backup. '.repeat(100));
    assert.match(await refusalOf(join(folder, 'text'), to), NO_BACKUP);
    assert.match(await refusalOf(folder, to), /^The restore of .* was not finished: EISDIR: .*\.$/);
    assert.deepEqual(await readdir(folder), ['text']);
  });
});

/** A backup of a service that has an account and an item, and is stopped: one of each engine, which no test changes. */
function smallBackup(newPlace: NewPlace): ReturnType<typeof newSmallBackup> {
  const made = backups.get(newPlace) ?? newSmallBackup(newPlace);
  backups.set(newPlace, made);
  return made;
}

async function newSmallBackup(newPlace: NewPlace) {
  const place = await newPlace(lifetime);
  const settings = { DATABASE_URL: place.url };
  const service = await startHere(lifetime, settings);
  const { token } = await newAccount(service.url);
  await newItem(service.url, token);
  await service.stop();
  const file = join(await temporaryFolder(lifetime), 'backup.zst');
  const { key } = await backUpHere(settings, file);
  return { place, file, key, bytes: await readFile(file) };
}

/** The header and the footer of a backup, and its rows as text. */
async function partsOf(bytes: Buffer) {
  const read = async (at: number, length: number) => bytes.subarray(at, at + length);
  const [start, stop] = [await readHeader(read), await readFooter(read, bytes.length)];
  assert.ok(start && stop);
  const [header, footer] = [Object(start.header), Object(stop.footer)];
  return { header, footer, rows: zstdDecompressSync(bytes.subarray(start.begin, stop.end)).toString() };
}

/** The same backup with some parts of another program, and the right digest. */
async function remade(
  bytes: Buffer,
  change: { readonly header?: string; readonly footer?: string; readonly rows?: Buffer },
): Promise<Buffer> {
  const { header, footer, rows } = await partsOf(bytes);
  const frame = (magic: number, content: Buffer) => {
    const start = Buffer.alloc(8);
    start.writeUInt32LE(magic);
    start.writeUInt32LE(content.length, 4);
    return Buffer.concat([start, content]);
  };
  const last = Buffer.from(change.footer ?? JSON.stringify(footer));
  const end = Buffer.alloc(36);
  end.writeUInt32LE(last.length);
  const parts = Buffer.concat([
    frame(0x184d2a50, Buffer.from(change.header ?? JSON.stringify(header))),
    change.rows ?? zstdCompressSync(rows),
    frame(0x184d2a51, last),
    frame(0x184d2a52, end).subarray(0, -32),
  ]);
  return Buffer.concat([parts, newDigest().update(parts).digest()]);
}

async function verify(path: string, schema: readonly { readonly name: string }[] = MIGRATIONS) {
  const handle = await open(path);
  try {
    return await verifyBackup({ name: path, handle }, schema, { begin() {}, reach() {} });
  } finally {
    await handle.close();
  }
}

function isRefusal(error: Error): boolean {
  return CUT_OR_CHANGED.test(error.message) || NO_BACKUP.test(error.message);
}

/** `stoa restore` in this process. */
function restoreHere(settings: Record<string, string>, path: string, to?: string): Promise<CommandResult> {
  return commandHere(settings, (config) => restore(config, path, to));
}

/** The last line of `stoa restore` of this file (`refused` shows that a process prints no more). */
async function refusalOf(path: string, to: string): Promise<string> {
  const { code, stderr } = await restoreHere({ DATA_DIR: dirname(path) }, path, to);
  return code === 1 ? (stderr.trimEnd().split('\n').at(-1) ?? '') : 'It was restored.';
}

/** One clear sentence after the lines of progress, and code 1. */
function refused({ code, stdout, stderr }: CommandResult, sentence: RegExp): void {
  assert.deepEqual([code, stdout], [1, ''], stderr);
  const lines = stderr.trimEnd().split('\n');
  assert.match(lines.at(-1) ?? '', sentence);
  assert.ok(!stderr.includes('    at '), stderr);
}
