import type { Engine } from '../operation.ts';

export const sqliteEngine: Engine = {
  name: 'sqlite',

  // Only one process serves an embedded database, and it forgets the sessions that it ends itself. What a command
  // beside it changes, the service reads within a second.
  publish: async () => {},

  // There is one writer, so no other write holds anything.
  lock: async () => {},
  tryLock: async () => true,
};
