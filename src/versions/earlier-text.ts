import { textFrom } from '../content/delta.ts';
import type { Db } from '../store/tables.ts';

/** The text of a version: whole, or a delta and the text that it is of. */
export interface EarlierText {
  readonly content: string | null;
  readonly delta: string | null;
  readonly base: string | null;
}

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

/** The whole text. A long one takes some milliseconds to make of its base. */
export function textOf({ content, delta, base }: EarlierText): string {
  return content ?? textFrom(base ?? '', delta ?? '');
}
