import { countThenPage } from '../id-set.ts';
import type { Engine } from '../operation.ts';
import { contentLabelled, contentRelabelled } from './content-labels.ts';
import { contentChanged, contentMatching, indexContent } from './content-search.ts';
import { usersMatching } from './users-search.ts';

export const sqliteEngine: Engine = {
  name: 'sqlite',

  usersMatching,
  contentMatching,
  contentLabelled,
  pageOfIds: countThenPage,
  contentRelabelled,
  contentChanged,
  indexContent,

  // One process serves an embedded database, and forgets by itself what it ends.
  announce: async () => {},

  // There is one writer.
  lock: async () => {},
};
