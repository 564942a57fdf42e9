import type { Migration } from '../store/migration.ts';

/** Lists find items by their language. A language tag is the same in any case (RFC 5646, 2.1.1). */
export const languages: Migration = {
  name: '0054_languages',
  effect: { does: 'Makes the index of content by language.', reads: ['content'] },
  isConcurrent: true,
  statements: ({ engine }) => {
    // With an index of an expression, SQLite would read the row of each match, and the long text in it.
    const inAnyCase = engine === 'sqlite' ? 'language COLLATE NOCASE' : 'lower(language COLLATE "C")';
    return [
      `CREATE INDEX content_language ON content (${inAnyCase}, id) WHERE visible = 1 AND language <> ''`,
    ];
  },
};
