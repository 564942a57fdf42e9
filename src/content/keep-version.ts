import { sql } from 'kysely';
import { DAY_MS } from '../domain/time.ts';
import type { Db } from '../store/tables.ts';
import type { LockedItem } from './change.ts';
import { RESTORED } from './fields.ts';
import { VERSION_STORED } from './stored.ts';

/** Every version is kept for so long after it was replaced, however many there are. */
export const KEPT_MS = 30 * DAY_MS;

/** How the text of a version can be kept: by what it has otherwise than that of another version, the base. */
export interface Past {
  readonly version: number;
  readonly base: number;
  readonly delta: string;
}

interface Replaced {
  readonly item: LockedItem;
  /** The members that the next version has otherwise. */
  readonly members: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** What was made of the text before the write. Of no use where the item was changed since. */
  readonly past: Past | undefined;
}

/** Keeps the state that a change of the locked item is about to replace. Returns the bytes that it counts as. */
export async function keepVersion(db: Db, { item, members, now, past }: Replaced): Promise<number> {
  const { id: content_id, version } = item;
  const delta = past?.version === version && (await isWhole(db, content_id, past.base)) ? past : undefined;
  const short = RESTORED.filter((name) => name !== 'content');
  const state = db
    .selectFrom('content')
    .select([
      'id as content_id',
      'version',
      ...short,
      'changed_by',
      'updated_at as changed_at',
      sql<number>`cast(${now} as bigint)`.as('replaced_at'),
      sql<string>`cast(${JSON.stringify(members)} as text)`.as('replaced_members'),
      sql<number>`octet_length(content)`.as('bytes'),
      sql<number | null>`cast(${delta?.base ?? null} as bigint)`.as('base'),
      sql<string | null>`cast(${delta?.delta ?? null} as text)`.as('delta'),
      delta ? sql<null>`cast(null as text)`.as('content') : 'content',
    ])
    .where('id', '=', content_id);
  const { stored } = await db
    .insertInto('content_versions')
    .columns([
      'content_id',
      'version',
      ...short,
      'changed_by',
      'changed_at',
      'replaced_at',
      'replaced_members',
      'bytes',
      'base',
      'delta',
      'content',
    ])
    .expression(state)
    .returning(VERSION_STORED.as('stored'))
    .executeTakeFirstOrThrow();
  await db
    .insertInto('content_history_due')
    .values({ content_id, due_at: now + KEPT_MS })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return stored;
}

/** A base may have been removed since the delta was made. While the item is locked, none is removed. */
async function isWhole(db: Db, content_id: number, version: number): Promise<boolean> {
  const found = await db
    .selectFrom('content_versions')
    .select('version')
    .where('content_id', '=', content_id)
    .where('version', '=', version)
    .where('content', 'is not', null)
    .executeTakeFirst();
  return found !== undefined;
}
