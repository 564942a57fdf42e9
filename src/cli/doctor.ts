import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { checkDisk, checkRights } from '../doctor/files.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { checkKey } from '../doctor/key.ts';
import { checkMail } from '../doctor/mail.ts';
import { checkGoingPublic } from '../doctor/public.ts';
import { checkAdmin, checkBackups, checkClock, checkCounts, checkIndexes } from '../doctor/rows.ts';
import { checkService } from '../doctor/service.ts';
import { typedStart } from '../domain/installation.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { TABLES } from '../features.ts';
import { nameOf, openMoveEnd } from '../open-store.ts';
import type { MoveEnd, Schema } from '../store/move-end.ts';
import { explain } from './explain.ts';

const MARKS = { ok: 'ok    ', advice: 'advice', wrong: 'WRONG ' };

/**
 * Checks an installation whose service runs or is stopped, and prints a line for each finding. Returns the exit code: 1
 * if something is wrong. Migrates nothing and writes nothing to the database.
 */
export async function doctor(load: () => Config, asJson: boolean): Promise<0 | 1> {
  const findings = await diagnose(load);
  const lines = findings.map((each) =>
    asJson ? JSON.stringify(each) : `${MARKS[each.state]}  ${each.check}: ${each.says}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
}

/** Everything that the checks find, in a fixed order. */
export async function diagnose(load: () => Config): Promise<Finding[]> {
  let config: Config;
  try {
    config = load();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return error.message.split('\n').map((says) => finding('settings', 'wrong', says));
  }
  return [
    finding('settings', 'ok', 'The settings can be read.'),
    ...checkGoingPublic(config),
    ...checkFiles(config),
    ...(await checkDatabase(config)),
    await checkMail(config.mail),
    await checkService(config),
  ];
}

function checkFiles({ database, backupDir }: Config): Finding[] {
  const files =
    database.kind === 'sqlite' ? ['', '-wal', '-shm', '-derived'].map((end) => database.file + end) : [];
  const folders = [...(database.kind === 'sqlite' ? [dirname(database.file)] : []), backupDir];
  return [
    ...checkRights([...files, backupDir]),
    ...folders.filter((each) => existsSync(each)).map((each) => checkDisk(each)),
  ];
}

async function checkDatabase(config: Config): Promise<Finding[]> {
  let end: MoveEnd;
  try {
    end = await openMoveEnd(config.database, 'source');
  } catch (error) {
    return [finding('database', 'wrong', explain(error))];
  }
  try {
    const schema = await end.schema();
    const cure = CURES[schema];
    if (cure !== undefined)
      return [finding('schema', 'wrong', `The database ${nameOf(config.database)} ${cure}`)];
    await end.freeze();
    return [
      finding('schema', 'ok', `The ${end.name} has the schema of this version.`),
      ...(await checkRows(end, config)),
    ];
  } catch (error) {
    return [
      finding(
        'database',
        'wrong',
        `The ${end.name} cannot be read: ${reasonOf(error)}; see "Something is wrong" in docs/operations.md.`,
      ),
    ];
  } finally {
    await end.close();
  }
}

const CURES: Readonly<Record<Schema, string | undefined>> = {
  nothing: `is empty; start the service once (${typedStart()}).`,
  foreign: 'has tables of another program; give Stoa a database of its own.',
  older: 'has the schema of an older version; make a backup, and run "stoa migrate".',
  newer: 'is of another version of Stoa; start the version that made it, or a newer one.',
  current: undefined,
};

async function checkRows(end: MoveEnd, config: Config): Promise<Finding[]> {
  const now = Date.now();
  return [
    await checkIndexes(end),
    ...(await checkCounts(end, TABLES.counted)),
    await checkClock(end, now),
    ...(await checkKey(end, config)),
    await checkBackups(end, config.backupEvery, now),
    await checkAdmin(end),
  ];
}
