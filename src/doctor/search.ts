import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { FAR_BEHIND, indexProgress } from '../search/index-words.ts';
import type { MoveEnd } from '../store/move-end.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import { type Finding, finding, REPAIR } from './finding.ts';

type Derived = Awaited<ReturnType<MoveEnd['derived']>>;

/** The index is written at a low priority: on a busy machine a round takes seconds. */
const PATIENCE_MS = 10_000;
const LOOK_MS = 200;

/** True if the index is far behind and a service indexes what waits. It cannot be seen within one snapshot. */
export async function isCatchingUp(
  { db, engine }: Pick<MoveEnd, 'db' | 'engine'>,
  derived: Derived,
): Promise<boolean> {
  if (derived !== 'whole') return false;
  const before = await indexProgress.run(db, null, engine);
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await pause(LOOK_MS)) {
    const { waiting, indexed, isOwn } = await indexProgress.run(db, null, engine);
    if (waiting <= FAR_BEHIND) return false;
    if (isOwn && (indexed > before.indexed || waiting < before.waiting)) return true;
  }
  return false;
}

/** Is the index of words there and whole, how much waits for it, and does it have all visible items? */
export async function checkSearch(
  { db, engine }: Pick<MoveEnd, 'db' | 'engine'>,
  derived: Derived,
  catchesUp: boolean,
): Promise<Finding> {
  // A service that runs has the removed file open, and goes on with it.
  if (derived === 'missing')
    return finding(
      'search index',
      'advice',
      `The file of the search index is missing; the next start of the service makes it again, and so does "${REPAIR}" while none runs.`,
    );
  if (derived === 'damaged')
    return finding(
      'search index',
      'wrong',
      `The search index is damaged; stop the service, and run "${REPAIR}".`,
    );
  const { waiting, indexed, isOwn } = await indexProgress.run(db, null, engine);
  if (!isOwn)
    return finding(
      'search index',
      'wrong',
      `The search index is of another state of the database; start the service, which makes it again, or run "${REPAIR}".`,
    );
  if (waiting === 0) {
    const lost = await lostItems(db, engine);
    return lost === 0
      ? finding('search index', 'ok', 'The search index has all items.')
      : finding('search index', 'wrong', `The search index lacks ${lost} items; run "${REPAIR}".`);
  }
  const since = await waitsSince(db, indexed);
  const says = `About ${waiting} changes wait for the search index${since}`;
  if (waiting <= FAR_BEHIND) return finding('search index', 'ok', `${says}.`);
  return catchesUp
    ? finding('search index', 'advice', `${says}; the service catches up, and until then searches lack them.`)
    : finding('search index', 'wrong', `${says}; start the service, or see its log.`);
}

/** The queue has no times. An item's own time is that of its last change, so the oldest waits at least since then. */
async function waitsSince(db: Db, indexed: number): Promise<string> {
  const { rows } = await sql<{ at: number }>`
    select updated_at as at from content_search_queue join content on content.id = content_id
    where place > ${Math.min(indexed, Number.MAX_SAFE_INTEGER)} order by place limit 1`.execute(db);
  return rows[0] ? `, the first one since ${new Date(Number(rows[0].at)).toISOString()}` : '';
}

/** Visible items that are neither in the index nor in its queue. */
export function lost(engine: Pick<Engine, 'name'>) {
  const has =
    engine.name === 'sqlite'
      ? sql`select id from content_search_docsize union all select content_id from content_search_queue
          where place > coalesce((select place from content_search_state), 0)`
      : sql`select content_id from content_search union all select content_id from content_search_queue`;
  return sql`from visible_content where id not in (${has})`;
}

/** How many visible items are neither in the search index nor on their way to it. */
export async function lostItems(db: Db, engine: Pick<Engine, 'name'>): Promise<number> {
  const { rows } = await sql<{ items: number }>`select count(*) as items ${lost(engine)}`.execute(db);
  return Number(rows[0]?.items);
}
