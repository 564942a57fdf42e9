import type { Config } from '../config.ts';
import { checkCopies } from '../doctor/copies.ts';
import { type Finding, finding } from '../doctor/finding.ts';
import { checkIntegrity } from '../doctor/integrity.ts';
import { checkKey } from '../doctor/key.ts';
import { checkLabels } from '../doctor/labels.ts';
import { checkOutbox, checkWebhooks } from '../doctor/queues.ts';
import { checkAdmin, checkBackups, checkBucket, checkClock, checkCounts } from '../doctor/rows.ts';
import { checkObjects, checkTriggers } from '../doctor/schema.ts';
import { checkSearch, isCatchingUp } from '../doctor/search.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { TABLES } from '../features.ts';
import { nameOf, openMoveEnd, requireDatabase } from '../open-database.ts';
import { CURES, type MoveEnd } from '../store/move-end.ts';
import { isUnfinished } from '../transfer/prepare.ts';
import { shownBucket } from '../transfer/s3/bucket.ts';
import { explain } from './explain.ts';

/** What the checks of the database find. Changes nothing there. */
export async function checkDatabase(config: Config): Promise<Finding[]> {
  let end: MoveEnd;
  try {
    if (config.database.kind === 'sqlite') await requireDatabase(config.database);
    end = await openMoveEnd(config.database, 'source');
  } catch (error) {
    return [unusable(explain(error))];
  }
  const found: Finding[] = [];
  try {
    const schema = await end.schema();
    const cure = CURES[schema];
    if (cure !== undefined)
      return [finding('schema', 'wrong', `The database ${nameOf(config.database)} ${cure}`)];
    // The other checks would find wrong what is only unfinished.
    if (await isUnfinished(end)) return [finding('database', 'wrong', unfinished(end))];
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
    const isExplained = error instanceof OperatorError;
    return [
      ...found,
      unusable(isExplained ? error.message : `The ${end.name} cannot be read: ${reasonOf(error)}.`),
    ];
  } finally {
    await end.close();
  }
}

function unusable(says: string): Finding {
  return finding('database', 'wrong', `${says} See "Something is wrong" in docs/operations.md.`);
}

/** The sentence for a database that a move or restore has not yet filled. */
export function unfinished({ name }: MoveEnd): string {
  return `A move or restore into the ${name} was interrupted or still runs; run the same restore or move again to finish it.`;
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
