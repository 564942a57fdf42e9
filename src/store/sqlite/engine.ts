import { sql } from 'kysely';
import { codePoints } from '../../domain/text.ts';
import type { Engine } from '../operation.ts';
import { contentChanged, contentCreated, contentMatching, indexContent } from './content-search.ts';
import { phrase, TRIGRAM } from './trigram.ts';

export const sqliteEngine: Engine = {
  name: 'sqlite',

  usersMatching(keyword) {
    if (codePoints(keyword) >= TRIGRAM) {
      return sql`select rowid as id from users_search where users_search match ${phrase(keyword)}`;
    }
    return sql`select id from users where instr(username_key, ${keyword}) > 0 or instr(email_key, ${keyword}) > 0`;
  },

  contentMatching,
  contentCreated,
  contentChanged,
  indexContent,

  // One process serves an embedded database, and forgets by itself what it ends.
  announce: async () => {},

  // There is one writer.
  lock: async () => {},
};
