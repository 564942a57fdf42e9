import { sql } from 'kysely';
import { codePoints } from '../../domain/text.ts';
import type { Engine } from '../operation.ts';
import { contentChanged, contentMatching, indexContent } from './content-search.ts';
import { phrase, TRIGRAM } from './trigram.ts';

export const sqliteEngine: Engine = {
  name: 'sqlite',

  usersMatching(keyword) {
    if (codePoints(keyword) >= TRIGRAM) {
      return sql`select rowid from users_search where users_search match ${phrase(keyword)}`;
    }
    // Two scans of narrow indexes instead of one of the wide table.
    return sql`select id from users where instr(username_key, ${keyword}) > 0
      union select id from users where instr(email_key, ${keyword}) > 0`;
  },

  contentMatching,
  contentChanged,
  indexContent,

  // One process serves an embedded database, and forgets by itself what it ends.
  announce: async () => {},

  // There is one writer.
  isMyTurn: async () => true,
};
