import type { Migration } from '../migration.ts';
import { accounts } from './0001_accounts.ts';
import { content } from './0002_content.ts';
import { counts } from './0003_counts.ts';
import { search } from './0004_search.ts';
import { move } from './0005_move.ts';
import { searchKeys } from './0006_search_keys.ts';
import { postgres } from './0007_postgres.ts';
import { tags } from './0008_tags.ts';
import { labels } from './0009_labels.ts';

/** All steps of the schema, oldest first. A released step is never edited: add a new one. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  content,
  counts,
  search,
  move,
  searchKeys,
  postgres,
  tags,
  labels,
];
