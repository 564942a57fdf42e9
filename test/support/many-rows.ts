import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readConfig } from '../../src/config.ts';
import { noteFolder } from './folders.ts';
import type { Place } from './place.ts';
import { copyMigratedFile } from './sqlite.ts';

/** Four batches of a move. */
export const MANY_USERS = 1_600;
/** Two batches of a move. There are half as many items as users. */
export const MANY_ITEMS = MANY_USERS / 2;

const templates = new Map<number, Promise<string>>();

/** Fills a new SQLite place with so many rows that each step of a move takes several batches. */
export async function fillWithMany(place: Place, users = MANY_USERS): Promise<void> {
  const { database } = readConfig({ DATABASE_URL: place.url });
  if (database.kind !== 'sqlite') throw new Error('Only an SQLite place is filled.');
  const template = templates.get(users) ?? filledTemplate(users);
  templates.set(users, template);
  await copyFile(await template, database.file);
}

/** Places with as many rows are copies of one file, which is removed with the process. */
async function filledTemplate(users: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'stoa-test-'));
  noteFolder(folder);
  await copyMigratedFile(folder);
  const name = join(folder, 'stoa.db');
  const file = new DatabaseSync(name);
  file.exec(`
    BEGIN;
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${users})
    INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
    SELECT 'Übung' || i, 'übung' || i, i || '@example.org', i || '@example.org', hex(randomblob(40)), i FROM n;
    INSERT INTO sessions
      (id, user_id, token_hash, created_at, rotated_at, idle_expires_at, absolute_expires_at)
    SELECT hex(randomblob(16)), id, hex(randomblob(16)), 1, 2, 3, 4 FROM users;
    INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at)
    SELECT id, 'Title ' || id, hex(randomblob(400)) || char(13, 10, 128512), '', '["tag"]', 1, id, id
    FROM users WHERE id <= ${users / 2};
    INSERT INTO secrets VALUES ('token_secret', hex(randomblob(16)));
    COMMIT`);
  file.close();
  return name;
}
