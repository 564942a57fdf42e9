import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { readConfig } from '../src/config.ts';

/** The database of these settings: a file of SQLite, or the statements that make it on PostgreSQL. Needs pg_dump. */
export function dumpOf(settings: Record<string, string>): Buffer {
  const { database } = readConfig(settings);
  if (database.kind === 'sqlite') {
    const whole = `${database.file}.whole`;
    const file = new DatabaseSync(database.file);
    file.exec(`VACUUM INTO '${whole}'`);
    file.close();
    return readFileSync(whole);
  }
  const options = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=100', database.url];
  const text = execFileSync('pg_dump', options, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  // These lines are for psql.
  return Buffer.from(text.replaceAll(/^\\.*\n/gm, ''));
}
