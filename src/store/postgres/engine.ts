import { sql } from 'kysely';
import type { Engine } from '../operation.ts';
import { announce } from './changes.ts';
import { contentLabelled, contentRelabelled } from './content-labels.ts';
import { contentChanged, contentCopied, contentMatching, indexContent } from './content-search.ts';
import { pageOfIds } from './id-page.ts';
import { usersMatching } from './users-search.ts';

export const postgresEngine: Engine = {
  name: 'postgres',

  usersMatching,

  async contentMatching(_db, keyword) {
    return contentMatching(keyword);
  },

  contentLabelled,
  pageOfIds,
  contentCopied,
  contentRelabelled,
  contentChanged,
  indexContent,
  announce,

  async lock(db, name) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`stoa ${name}`}, 0))`.execute(db);
  },
};
