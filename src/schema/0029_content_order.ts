import type { Migration } from '../store/migration.ts';

/**
 * Indexes of visible items for what lists are sorted by and for ranges of time (docs/decisions/lists-and-search.md).
 *
 * `content_order` has the columns by which `GET /api/content` sorts. `title_key` is the title with the letters A-Z in
 * lower case. Both engines fold and compare it alike: the bytes of its UTF-8. It is a column of
 * the view because its expression is another one on each engine.
 */
export const contentOrder: Migration = {
  name: '0029_content_order',
  effect: {
    does: 'Makes the indexes by which lists of content are sorted.',
    stops: { content: 'writes' },
    reads: ['content'],
  },
  statements: ({ engine }) => {
    const titleKey = engine === 'sqlite' ? 'lower(title)' : 'lower(title COLLATE "C")';
    return [
      'CREATE INDEX content_created ON content (created_at, id) WHERE visible = 1',
      'CREATE INDEX content_updated ON content (updated_at, id) WHERE visible = 1',
      `CREATE INDEX content_title ON content (${titleKey}, id) WHERE visible = 1`,
      `CREATE VIEW content_order AS
        SELECT id, created_at, updated_at, ${titleKey} AS title_key FROM content WHERE visible = 1`,
    ];
  },
};
