import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import {
  barrierOf,
  checkDisk,
  checkGivenSecrets,
  checkLeft,
  checkRights,
  checkSharedFolder,
} from '../doctor/files.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { checkMail } from '../doctor/mail.ts';
import { checkGoingPublic } from '../doctor/public.ts';
import { checkService } from '../doctor/service.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { foreignIn } from '../transfer/backup/folder.ts';
import { checkDatabase } from './doctor-database.ts';
import { givenSecrets, leftBackups, leftCopy, privateBackups, privateData } from './installed.ts';

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
  const barriers: Finding[] = [];
  // What cannot be looked at is a finding, and hides nothing of the rest.
  const seen = <Thing>(look: () => readonly Thing[]): readonly Thing[] => {
    try {
      return look();
    } catch (error) {
      barriers.push(finding('rights', 'wrong', barrierOf(error)));
      return [];
    }
  };
  const closed = [privateData, privateBackups].flatMap((places) => seen(() => places(config)));
  const left = [leftCopy, leftBackups].flatMap((paths) => seen(() => paths(config)));
  const found = [
    ...seen(() => checkRights(closed.map(({ path }) => path))),
    ...seen(() => checkGivenSecrets(givenSecrets(config))),
    ...seen(() => checkSharedFolder(backupDir, foreignIn(backupDir))),
    // Of a folder that could not be looked into, nobody knows that nothing is left there.
    ...(left.length > 0 || barriers.length === 0 ? checkLeft(left) : []),
    ...folders.filter((each) => existsSync(each)).flatMap((each) => seen(() => [checkDisk(each)])),
    ...barriers,
  ];
  // Several checks look into the same folder.
  return found.filter(({ says }, index) => found.findIndex((each) => each.says === says) === index);
}
