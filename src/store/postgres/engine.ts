import { sql } from 'kysely';
import { foldKey } from '../../domain/text.ts';
import type { Engine, SearchableContent } from '../operation.ts';
import { statement } from '../statement.ts';
import type { Db } from '../tables.ts';
import { announce } from './changes.ts';
import { pageOfIds } from './id-page.ts';
import { containing } from './like.ts';
import { usersMatching } from './users-search.ts';

export const postgresEngine: Engine = {
  name: 'postgres',

  usersMatching,

  async contentMatching(_db, keyword) {
    const pattern = containing(keyword);
    return sql`select content_id as id from content_search where title like ${pattern} or content like ${pattern}`;
  },

  pageOfIds,

  contentCreated: keepFolded,
  contentChanged: keepFolded,

  // The trigram index has a list of its own for what it puts off (GIN, fastupdate).
  indexContent: async () => false,

  announce,

  async lock(db, name) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`stoa ${name}`}, 0))`.execute(db);
  },
};

async function keepFolded(db: Db, { id, title, content }: SearchableContent): Promise<void> {
  await keepSearchable(db, { id, title: foldKey(title), content: foldKey(content) });
}

const keepSearchable = statement(
  (_, item: SearchableContent) => sql`
    insert into content_search (content_id, title, content) values (${item.id}, ${item.title}, ${item.content})
    on conflict (content_id) do update set title = excluded.title, content = excluded.content`,
);
