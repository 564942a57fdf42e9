import type { Generated, Kysely } from 'kysely';
import type { Role } from '../domain/account.ts';

/**
 * The tables as types, the same on both engines. Times are milliseconds since 1970 (UTC);
 * the reason for each column stands in the migration that made it.
 */
export interface Tables {
  users: {
    id: Generated<number>;
    username: string;
    username_key: string;
    email: string;
    email_key: string;
    password_hash: string;
    role: Role;
    created_at: number;
    disabled_at: number | null;
  };
  users_blocks: CountedBlocks;
  users_total: { rows: number };
  sessions: {
    id: string;
    user_id: number;
    token_hash: string;
    created_at: number;
    rotated_at: number;
    idle_expires_at: number;
    absolute_expires_at: number;
    ended_at: number | null;
    ended_because: SessionEnd | null;
  };
  content: {
    id: Generated<number>;
    author_id: number;
    title: string;
    content: string;
    category: string;
    tags: string;
    version: number;
    created_at: number;
    updated_at: number;
  };
  content_blocks: CountedBlocks;
  content_total: { rows: number };
  /** On PostgreSQL; the two after it on SQLite (decisions 0025). */
  content_tags: { tag: string; content_id: number };
  content_labels: { label: string; content_id: number };
  content_indexed: { labels: number; search: number };
  content_unindexed: { content_id: number };
  signing_keys: { kid: string; private_jwk: string; created_at: number };
  secrets: { name: string; value: string };
  move_progress: { step: string; value: string };
}

export type SessionEnd = 'logout' | 'reuse' | 'disabled';

/** How many rows of a table exist in each run of `BLOCK_SIZE` ids; kept by triggers (decisions 0010). */
interface CountedBlocks {
  block: number;
  rows: number;
}

export type Db = Kysely<Tables>;
