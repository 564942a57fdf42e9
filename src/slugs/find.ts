import { selectChangeable } from '../content/draft-items.ts';
import { fromVisible } from '../content/find.ts';
import { byReader, type Reader } from '../content/visibility.ts';
import { readOperation } from '../store/operation.ts';
import { statement } from '../store/statement.ts';

/** An item that a slug leads to. */
interface Named {
  readonly id: number;
  /** The slug that it has now. */
  readonly slug: string | null;
}

const withSlug = byReader((reader) =>
  statement((db, input: { slug: string }) =>
    fromVisible(db, reader).select(['content.id', 'content.slug']).where('content.slug', '=', input.slug),
  ),
);

const withOldSlug = byReader((reader) =>
  statement((db, input: { slug: string }) =>
    fromVisible(db, reader)
      .innerJoin('content_old_slugs as old', 'old.content_id', 'content.id')
      .select(['content.id', 'content.slug'])
      .where('old.slug', '=', input.slug),
  ),
);

interface Asked {
  readonly slug: string;
  readonly reader: Reader;
}

/** The item that has the slug, or had it before, if the reader may see it and it is no draft. */
export const findBySlug = readOperation(
  'slugs.find',
  async (db, { slug, reader }: Asked): Promise<Named | undefined> => {
    const [item] = await withSlug[reader](db, { slug });
    if (item) return item;
    const [moved] = await withOldSlug[reader](db, { slug });
    return moved;
  },
);

/** The same among what an account may change: drafts, and what was published since `findBySlug` found none. */
export const findDraftBySlug = readOperation(
  'slugs.find_draft',
  async (
    db,
    { slug, userId }: Pick<Asked, 'slug'> & { readonly userId: number },
  ): Promise<Named | undefined> => {
    const changeable = selectChangeable(db, { userId }).select(['content.id', 'content.slug']);
    const item = await changeable.where('content.slug', '=', slug).executeTakeFirst();
    if (item) return item;
    return changeable
      .innerJoin('content_old_slugs as old', 'old.content_id', 'content.id')
      .where('old.slug', '=', slug)
      .executeTakeFirst();
  },
);
