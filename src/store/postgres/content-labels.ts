import { sql } from 'kysely';
import { type IdSet, intersection } from '../id-set.ts';
import type { Label, Labelled, Labels } from '../operation.ts';
import type { Db } from '../tables.ts';

/** Filtering content with PostgreSQL: its own indexes by author and category, and `content_tags` (decisions 0023). */

export function contentLabelled(labels: Labelled): IdSet {
  return intersection(labels.map(withLabel));
}

function withLabel({ kind, value }: Label): IdSet {
  if (kind === 'author') return sql`select id from content where author_id = ${value}`;
  if (kind === 'tag') return sql`select content_id as id from content_tags where tag = ${value}`;
  // The second condition lets the partial index be used.
  return sql`select id from content where category = ${value} and category <> ''`;
}

export async function contentRelabelled(
  db: Db,
  id: number,
  before: Labels,
  after: Labels | undefined,
): Promise<void> {
  if (before.tags === after?.tags) return;
  const [had, has] = [tagsOf(before), after ? tagsOf(after) : []];
  if (had.length > 0) {
    await db.deleteFrom('content_tags').where('tag', 'in', had).where('content_id', '=', id).execute();
  }
  if (has.length > 0) {
    const rows = has.map((tag) => ({ tag, content_id: id }));
    await db.insertInto('content_tags').values(rows).execute();
  }
}

function tagsOf({ tags }: Labels): string[] {
  return JSON.parse(tags) as string[];
}
