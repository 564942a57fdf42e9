import type { Engine } from '../operation.ts';

export const sqliteEngine: Engine = {
  name: 'sqlite',

  // One process serves an embedded database, and forgets by itself what it ends.
  publish: async () => {},

  // There is one writer.
  lock: async () => {},
  tryLock: async () => true,
};
