import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { checkCopies } from '../doctor/copies.ts';
import { checkDisk, checkGivenSecrets, checkLeft, checkRights, checkSharedFolder } from '../doctor/files.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { checkIntegrity } from '../doctor/integrity.ts';
import { checkKey } from '../doctor/key.ts';
import { checkLabels } from '../doctor/labels.ts';
import { checkMail } from '../doctor/mail.ts';
import { checkGoingPublic } from '../doctor/public.ts';
import { checkOutbox, checkWebhooks } from '../doctor/queues.ts';
import { checkAdmin, checkBackups, checkBucket, checkClock, checkCounts } from '../doctor/rows.ts';
import { checkObjects, checkTriggers } from '../doctor/schema.ts';
import { checkSearch, isCatchingUp } from '../doctor/search.ts';
import { checkService } from '../doctor/service.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { TABLES } from '../features.ts';
import { nameOf, openMoveEnd } from '../open-store.ts';
import { CURES, type MoveEnd } from '../store/move-end.ts';
import { foreignIn } from '../transfer/backup/folder.ts';
import { shownBucket } from '../transfer/s3/bucket.ts';
import { explain } from './explain.ts';
import { givenSecrets, leftPaths, privatePaths } from './installed.ts';

const MARKS = { ok: 'ok    ', advice: 'advice', wrong: 'WRONG ' };

/**
 * Checks an installation whose service runs or is stopped, and prints a line for each finding. Returns the exit code: 1
 * if something is wrong or a repair was refused. Migrates nothing, and writes to the database only to repair.
 */
export async function doctor(load: () => Config, { asJson, repairs }: Options): Promise<0 | 1> {
  const isMended = !repairs || (await printRepairs(load, asJson));
  const findings = await diagnose(load);
  const lines = findings.map((each) =>
    asJson ? JSON.stringify(each) : `${MARKS[each.state]}  ${each.check}: ${each.says}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return isMended && !findings.some(({ state }) => state === 'wrong') ? 0 : 1;
}

interface Options {
  /** One JSON object a line. */
  readonly asJson: boolean;
  /** Mends first what can be mended without losing anything. */
  readonly repairs: boolean;
}

/** Prints what was done and what was refused. False if something was refused. */
async function printRepairs(load: () => Config, asJson: boolean): Promise<boolean> {
  let config: Config;
  try {
    config = load();
  } catch (error) {
    // The findings say which setting is wrong.
    if (error instanceof OperatorError) return false;
    throw error;
  }
  const repairs = await (await import('./repair.ts')).repair(config);
  const lines = repairs.map(({ state, says }) =>
    asJson ? JSON.stringify({ repair: state, says }) : `${state === 'done' ? 'MENDED ' : 'REFUSED'} ${says}`,
  );
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  return repairs.every(({ state }) => state === 'done');
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

function checkFiles(config: Config): Finding[] {
  const { database, backupDir } = config;
  const folders = [...(database.kind === 'sqlite' ? [dirname(database.file)] : []), backupDir];
  return [
    ...checkRights(privatePaths(config).map(({ path }) => path)),
    ...checkGivenSecrets(givenSecrets(config)),
    ...checkSharedFolder(backupDir, foreignIn(backupDir)),
    ...checkLeft(leftPaths(config)),
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
  const found: Finding[] = [];
  try {
    const schema = await end.schema();
    const cure = CURES[schema];
    if (cure !== undefined)
      return [finding('schema', 'wrong', `The database ${nameOf(config.database)} ${cure}`)];
    // Before the snapshot, in which no file can be added.
    const derived = await end.derived();
    const catchesUp = await isCatchingUp(end, derived);
    await end.freeze();
    found.push(finding('schema', 'ok', `The ${end.name} has the steps of this version.`));
    // First, because other checks fail without a view or a column.
    found.push(...(await checkObjects(end)), ...(await checkTriggers(end)));
    found.push(await checkSearch(end, derived, catchesUp), ...(await checkRows(end, config)));
    return found;
  } catch (error) {
    return [
      ...found,
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

async function checkRows(end: MoveEnd, config: Config): Promise<Finding[]> {
  const now = Date.now();
  return [
    ...(await checkIntegrity(end)),
    ...(await checkCounts(end, TABLES.counted)),
    await checkLabels(end),
    ...(await checkCopies(end)),
    await checkClock(end, Date.now),
    ...(await checkKey(end, config)),
    await checkBackups(end, config.backupEvery, now),
    ...(await checkBucket(end, shownBucket(config.backupBucket), now)),
    await checkAdmin(end),
    await checkOutbox(end.db, now),
    ...(await checkWebhooks(end.db, now)),
  ];
}
