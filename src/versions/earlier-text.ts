import { Thread } from '../domain/thread.ts';
import type { Db } from '../store/tables.ts';
import { textFrom } from './text-from.ts';

/** The text of a version: whole, or a delta and the text that it is of. */
export interface EarlierText {
  readonly content: string | null;
  readonly delta: string | null;
  readonly base: string | null;
}

/** More than wait for a text at once: two readers, a comparison, and the writes that restore. */
const WAITING = 32;
/** Mebibytes of memory for old and young objects. */
const [MEMORY, YOUNG] = [64, 16];

const thread = new Thread<{ base: string; delta: string }, string>(
  new URL('./text-thread.ts', import.meta.url),
  {
    limit: WAITING,
    accepts: (text) => typeof text === 'string',
    keepsAlive: false,
    workerOptions: { resourceLimits: { maxOldGenerationSizeMb: MEMORY, maxYoungGenerationSizeMb: YOUNG } },
  },
);

/** Selects an earlier version as `version`, with the columns `delta` and `base` of its text. */
export function selectEarlier(db: Db, id: number, version: number) {
  return db
    .selectFrom('content_versions as version')
    .leftJoin('content_versions as base', (join) =>
      join.onRef('base.content_id', '=', 'version.content_id').onRef('base.version', '=', 'version.base'),
    )
    .select(['version.delta', 'base.content as base'])
    .where('version.content_id', '=', id)
    .where('version.version', '=', version);
}

/** The whole text, made in this thread: a long one takes some ten milliseconds. For work in the background. */
export function textOf({ content, delta, base }: EarlierText): string {
  return content ?? textFrom(base ?? '', delta ?? '');
}

/** The same for a request: others go on meanwhile, and what it takes of memory is bounded. Fails with `busy`. */
export async function textInTurn({ content, delta, base }: EarlierText): Promise<string> {
  return content ?? thread.call({ base: base ?? '', delta: delta ?? '' });
}
