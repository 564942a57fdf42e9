import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandResult, stoa } from './command.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';
import { execute, newPostgresDatabase } from './postgres.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

/** A database that a move can begin or end at. */
export interface Place {
  /** As `--from`, `--to` and DATABASE_URL take it. */
  readonly url: string;
  /** Runs statements as its operator would with the database's own tool; returns the rows of the last. */
  readonly sql: (...statements: string[]) => Promise<Record<string, unknown>[]>;
  /** A digest of the whole database. */
  readonly state: () => Promise<string>;
}

type EngineName = 'SQLite' | 'PostgreSQL';
type NewPlace = (t: Lifetime) => Promise<Place>;

/** Every pair of engines that a move leads between. */
export const DIRECTIONS: readonly (readonly [from: EngineName, to: EngineName, NewPlace, NewPlace])[] = [
  ['SQLite', 'PostgreSQL', newSqlitePlace, newPostgresPlace],
  ['PostgreSQL', 'SQLite', newPostgresPlace, newSqlitePlace],
];

/** A file that does not exist yet. */
export async function newSqlitePlace(t: Lifetime): Promise<Place> {
  const file = join(await temporaryFolder(t), 'stoa.db');
  return {
    url: `sqlite:${file}`,
    sql: async (...statements) => {
      // A service may be writing there at the same time.
      const database = new DatabaseSync(file, { timeout: 5_000 });
      try {
        return statements.map((each) => database.prepare(each).all()).at(-1) ?? [];
      } finally {
        database.close();
      }
    },
    state: async () => {
      const log = existsSync(`${file}-wal`) ? await readFile(`${file}-wal`) : '';
      return digest(await readFile(file), log);
    },
  };
}

/** A database that has nothing yet. */
export async function newPostgresPlace(): Promise<Place> {
  const url = await newPostgresDatabase();
  return {
    url,
    sql: async (...statements) => {
      let rows: Record<string, unknown>[] = [];
      for (const each of statements) rows = await execute(url, each);
      return rows;
    },
    state: async () => {
      const tables = await execute<{ name: string }>(
        url,
        "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1",
      );
      const rows = tables.map(
        ({ name }) => `(SELECT string_agg(t::text, '|' ORDER BY t::text) FROM ${name} AS t)`,
      );
      return digest(
        JSON.stringify([tables, await execute(url, `SELECT ARRAY[${rows.join(', ')}]::text[] AS all`)]),
      );
    },
  };
}

function digest(...parts: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

/** Runs a move until it ends. */
export function move(from: Place, to: Place): Promise<CommandResult> {
  return stoa(['move', '--from', from.url, '--to', to.url]);
}

/** A move that the test looks at, stops or kills. */
export interface MoveProcess {
  /** Resolves when it says that it begins this step. */
  readonly reaches: (step: string) => Promise<void>;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<CommandResult & { readonly signal: NodeJS.Signals | null }>;
}

export function startMove(t: Lifetime, from: Place, to: Place): MoveProcess {
  const child = spawn(process.execPath, [MAIN, 'move', '--from', from.url, '--to', to.url], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.after(() => child.kill('SIGKILL'));
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const ended = new Promise<CommandResult & { signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return {
    ended,
    signal: (signal) => child.kill(signal),
    reaches: async (step) => {
      while (!stderr.includes(step)) {
        if (child.exitCode !== null) throw new Error(`The move ended before "${step}":\n${stderr}`);
        await sleep(2);
      }
    },
  };
}

/** The lines of the proof. Each has a table, the number of its rows and its checksum. */
export function proofOf({ stdout }: CommandResult): string[] {
  return [...stdout.matchAll(/^ {2}(\w+) +(\d+) rows {2}([0-9a-f]{64})$/gm)].map(([line]) => line);
}
