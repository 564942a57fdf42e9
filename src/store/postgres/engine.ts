import { sql } from 'kysely';
import type { Engine } from '../operation.ts';
import { announce } from './changes.ts';
import {
  containing,
  contentChanged,
  contentCreated,
  contentMatching,
  indexContent,
  insertContent,
} from './content-search.ts';

export const postgresEngine: Engine = {
  name: 'postgres',

  usersMatching(keyword) {
    const pattern = containing(keyword);
    return sql`select id from users where username_key like ${pattern} or email_key like ${pattern}`;
  },

  async contentMatching(_db, keyword) {
    return contentMatching(keyword);
  },

  insertContent,
  contentCreated,
  contentChanged,
  indexContent,
  announce,

  async lock(db, name) {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`stoa ${name}`}, 0))`.execute(db);
  },
};
