import type { Row } from '../row.ts';
import { besideBackup } from './beside-backup.ts';
import { contentCreate } from './content-create.ts';
import { contentList } from './content-list.ts';
import { contentRead } from './content-read.ts';
import { createAndIndex } from './create-and-index.ts';
import { dependencies } from './dependencies.ts';
import { idleConnections } from './idle-connections.ts';
import { liveEvents } from './live-events.ts';
import { login } from './login.ts';
import { loginFlood } from './login-flood.ts';
import { refresh } from './refresh.ts';
import { start } from './start.ts';
import { steadyWrites } from './steady-writes.ts';
import { usersAnyKeyword } from './users-any-keyword.ts';
import { usersGrowth } from './users-growth.ts';
import { usersList } from './users-list.ts';
import { usersSearch } from './users-search.ts';

/** The table, from top to bottom. */
export const ROWS: readonly Row[] = [
  contentRead,
  usersList,
  usersGrowth,
  contentCreate,
  createAndIndex,
  steadyWrites,
  besideBackup,
  refresh,
  login,
  loginFlood,
  usersSearch,
  usersAnyKeyword,
  contentList,
  liveEvents,
  start,
  idleConnections,
  dependencies,
];

/** The rows whose cost depends on the database. Only these run on PostgreSQL. */
export const STORAGE_ROWS: readonly Row[] = [
  contentRead,
  usersList,
  usersGrowth,
  contentCreate,
  createAndIndex,
  steadyWrites,
  besideBackup,
  refresh,
  usersSearch,
  usersAnyKeyword,
  contentList,
  liveEvents,
];
