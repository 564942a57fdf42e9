import type { Migration } from '../store/migration.ts';

/**
 * The trash (docs/decisions/content.md).
 *
 * - `trashed_at` is when the item was moved there; NULL for an item that is not in the trash. The constraint refuses a
 *   visible item in the trash, whichever statement makes it.
 * - `trashed_by` is who moved it there, where that was not its author.
 */
export const trash: Migration = {
  name: '0028_trash',
  effect: {
    does: 'Adds the trash to content, with its indexes.',
    stops: { content: 'all', users: 'writes' },
    reads: ['content'],
  },
  statements: ({ integer }) => [
    `ALTER TABLE content ADD COLUMN trashed_at ${integer}
      CONSTRAINT content_trashed CHECK (trashed_at IS NULL OR visible = 0)`,
    `ALTER TABLE content ADD COLUMN trashed_by ${integer} REFERENCES users (id)
      CONSTRAINT content_trashed_by CHECK (trashed_by IS NULL OR trashed_at IS NOT NULL)`,
    'DROP VIEW visible_content',
    'CREATE VIEW visible_content AS SELECT * FROM content WHERE visible = 1',
    'CREATE INDEX content_trash ON content (trashed_at, id) WHERE trashed_at IS NOT NULL',
    'CREATE INDEX content_trash_of ON content (author_id, trashed_at, id) WHERE trashed_at IS NOT NULL',
    'CREATE INDEX content_trashed_by ON content (trashed_by) WHERE trashed_by IS NOT NULL',
  ],
};
