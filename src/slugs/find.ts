import { fromVisible } from '../content/find.ts';
import { notFound } from '../domain/failure.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';

/** An item that a slug leads to. */
interface Named {
  readonly id: number;
  /** The slug that it has now. */
  readonly slug: string | null;
}

const withSlug = statement((db, input: { slug: string }) =>
  fromVisible(db).select(['content.id', 'content.slug']).where('content.slug', '=', input.slug),
);

const withOldSlug = statement((db, input: { slug: string }) =>
  fromVisible(db)
    .innerJoin('content_old_slugs as old', 'old.content_id', 'content.id')
    .select(['content.id', 'content.slug'])
    .where('old.slug', '=', input.slug),
);

/** The item that has the slug, or had it before. Fails with `not_found`. */
export const findBySlug = readOperation('slugs.find', async (db, slug: string): Promise<Named> => {
  const [item] = await withSlug(db, { slug });
  if (item) return item;
  const [moved] = await withOldSlug(db, { slug });
  if (!moved) throw notFound('content item');
  return moved;
});
