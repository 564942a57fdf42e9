import type { Tables } from '../store/tables.ts';

/** A table as a move sees it: in which order it is read, and how much of it is in memory at a time. */
export interface MovedTable<Name extends keyof Tables = keyof Tables> {
  readonly name: Name;
  /** The columns of the primary key: the order of copying and checking. */
  readonly key: readonly string[];
  /** All columns, in the order in which a checksum takes them. */
  readonly columns: readonly string[];
  readonly batch: number;
  /** The column that may be so large that a batch has to be bounded by its bytes too. */
  readonly large?: string;
}

/** Everything that is not derived, parents before children. Indexes and counts follow from these. */
export const MOVED_TABLES: readonly MovedTable[] = [
  {
    name: 'users',
    key: ['id'],
    columns: [
      'id',
      'username',
      'username_key',
      'email',
      'email_key',
      'password_hash',
      'role',
      'created_at',
      'disabled_at',
    ],
    batch: 500,
  },
  {
    name: 'sessions',
    key: ['id'],
    columns: [
      'id',
      'user_id',
      'token_hash',
      'created_at',
      'rotated_at',
      'idle_expires_at',
      'absolute_expires_at',
      'ended_at',
      'ended_because',
    ],
    batch: 500,
  },
  { name: 'signing_keys', key: ['kid'], columns: ['kid', 'private_jwk', 'created_at'], batch: 100 },
  { name: 'secrets', key: ['name'], columns: ['name', 'value'], batch: 100 },
  {
    name: 'content',
    key: ['id'],
    columns: [
      'id',
      'author_id',
      'title',
      'content',
      'category',
      'tags',
      'version',
      'created_at',
      'updated_at',
    ],
    batch: 500,
    // An item may have a mebibyte.
    large: 'content',
  },
];
