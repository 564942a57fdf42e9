import { sql } from 'kysely';
import type { Config } from '../config.ts';
import { correctCopy, wrongCopies } from '../doctor/copies.ts';
import { REPAIR } from '../doctor/finding.ts';
import { correctLabels, countWrongLabels } from '../doctor/labels.ts';
import { missingObjects } from '../doctor/schema.ts';
import { lost, lostItems } from '../doctor/search.ts';
import { areRight, recount, totalsOf } from '../doctor/totals.ts';
import { reasonOf } from '../domain/reason.ts';
import { TABLES } from '../features.ts';
import { nameOf, openMoveEnd } from '../open-database.ts';
import { contentBacklog } from '../search/index-words.ts';
import type { Database } from '../settings/database-url.ts';
import { CURES, type MoveEnd } from '../store/move-end.ts';
import { removeUnusedDerived } from '../store/sqlite/derived.ts';
import type { Db } from '../store/tables.ts';
import { workOff } from '../transfer/backlog.ts';
import { isUnfinished } from '../transfer/prepare.ts';
import { unfinished } from './doctor-database.ts';
import { explain } from './explain.ts';
import { repairFiles } from './repair-files.ts';
import { noteRepair, type Repair, type Say } from './repair-notes.ts';
import { repairIndexes, repairTriggers } from './repair-schema.ts';

/**
 * Mends what can be mended without losing anything: rights of files, files that killed backups left, indexes, triggers,
 * counted totals and the search index. Runs beside a service, and refuses what is not safe beside it. Repairs in the
 * database are in the trail.
 */
export async function repair(config: Config): Promise<Repair[]> {
  const repairs: Repair[] = [];
  const say: Say = (state, says) => repairs.push({ state, says });
  repairFiles(config, say);
  try {
    if (await mayRepair(config.database, say)) await repairDatabase(config.database, say);
  } catch (error) {
    say('refused', explain(error));
  }
  return repairs;
}

/** Looks without changing anything. A search index that is no longer of use is removed, where nobody has it open. */
async function mayRepair(database: Database, say: Say): Promise<boolean> {
  const end = await openMoveEnd(database, 'source');
  let derived: 'missing' | 'damaged' | 'whole';
  try {
    const cure = CURES[await end.schema()];
    if (cure !== undefined) {
      say('refused', `The database ${nameOf(database)} ${cure}`);
      return false;
    }
    // What a repair writes, the move or restore would find to differ.
    if (await isUnfinished(end)) {
      say('refused', unfinished(end));
      return false;
    }
    derived = await end.derived();
  } finally {
    await end.close();
  }
  if (derived === 'whole' || database.kind === 'postgres') return true;
  if (removeUnusedDerived(database.file)) return true;
  say(
    'refused',
    `The search index is made again only while nothing uses the database; stop the service, and run "${REPAIR}" again.`,
  );
  return false;
}

async function repairDatabase(database: Database, say: Say): Promise<void> {
  const end = await openMoveEnd(database, 'target');
  try {
    const isAlone = database.kind === 'sqlite' && (await end.lock('alone'));
    if (!isAlone && !(await end.lock('shared'))) {
      say('refused', `A move uses the ${end.name}; wait until it has ended.`);
      return;
    }
    // Triggers first: they keep what is counted after them.
    const missing = await missingObjects(end);
    await repairTriggers(end, missing, say);
    // An engine without CREATE INDEX CONCURRENTLY keeps a service from writing.
    await repairIndexes(end, missing, isAlone || end.engine.name === 'postgres', say);
    await repairTotals(end, say);
    await repairSearch(end, isAlone || end.engine.name === 'postgres', say);
  } finally {
    await end.close();
  }
}

async function repairTotals(end: MoveEnd, say: Say): Promise<void> {
  const { db, engine } = end;
  const trying = async (what: string, work: (db: Db) => Promise<void>) => {
    try {
      await end.transaction(async (db) => {
        await work(db);
        await noteRepair(db, what);
      });
      say('done', `The ${what} agree with the data again.`);
    } catch (error) {
      say('refused', `The ${what} cannot be mended now: ${reasonOf(error)}.`);
    }
  };
  for (const table of TABLES.counted)
    if (!areRight(await totalsOf(db, table)))
      await trying(`totals of ${table}`, (db) => recount(db, table, engine));
  if ((await countWrongLabels(db, engine)) > 0)
    await trying('counts of tags and categories', (db) => correctLabels(db, engine));
  for (const wrong of await wrongCopies(db, engine))
    await trying(`rows of ${wrong.copy.table}`, (db) => correctCopy(db, wrong, engine));
}

/** Items that the index lost get into its queue, where a service finds them too. */
async function repairSearch(end: MoveEnd, mayIndex: boolean, say: Say): Promise<void> {
  const waiting = await contentBacklog.left(end.db, end.engine);
  // The service is at it.
  if (waiting > 0 && !mayIndex) return;
  if (waiting > 0) await workOff(end, contentBacklog);
  const items = await lostItems(end.db, end.engine);
  if (items > 0) {
    await end.transaction(async (db) => {
      await sql`insert into content_search_queue (content_id) select id ${lost(end.engine)}`.execute(db);
      await noteRepair(db, 'search index');
    });
    if (mayIndex) await workOff(end, contentBacklog);
    say('done', `${items} items that the search index lacked are in it or in its queue.`);
  } else if (waiting > 0) {
    await end.transaction((db) => noteRepair(db, 'search index'));
    say('done', `The search index has the ${waiting} changes that waited.`);
  }
}
