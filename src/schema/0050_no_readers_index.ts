import type { Migration } from '../store/migration.ts';
import { NOT_HERE } from './effects.ts';

/** On PostgreSQL the indexes of step 0049 replace `content_readers`, which would cost each write of content. */
export const noReadersIndex: Migration = {
  name: '0050_no_readers_index',
  effect: {
    sqlite: NOT_HERE,
    postgres: { does: 'Drops an index of content that others replace.', stops: { content: 'all' } },
  },
  statements: ({ engine }) => (engine === 'postgres' ? ['DROP INDEX content_readers'] : []),
};
