import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { type Cluster, startCluster } from '../../test/support/cluster.ts';
import { rawRates } from '../servers/postgres-raw.ts';
import type { Prepared, Target } from '../target.ts';
import type { Dataset } from './datasets.ts';
import { fileOf, sqliteTarget } from './sqlite-target.ts';

const STOA = new URL('../../dist/main.js', import.meta.url).pathname;
const run = promisify(execFile);

/** Durable, and with the memory of a small server. */
const SETTINGS = { shared_buffers: '512MB', max_wal_size: '2GB', max_connections: '60' };

/**
 * A PostgreSQL from npm, only for this run. `stoa move` fills it with each dataset from the SQLite file. The server
 * copies the dataset for each row.
 */
export class PostgresTarget implements Target {
  readonly name = 'PostgreSQL';
  readonly #cluster: Cluster;
  #copies = 0;

  private constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  static async start(): Promise<PostgresTarget> {
    return new PostgresTarget(await startCluster(SETTINGS));
  }

  async build(datasets: readonly Dataset[]): Promise<void> {
    await sqliteTarget.build(datasets);
    for (const dataset of datasets) {
      const start = performance.now();
      await this.#execute(`CREATE DATABASE ${templateOf(dataset)}`);
      const ends = ['--from', `sqlite:${fileOf(dataset)}`, '--to', this.#url(templateOf(dataset))];
      await run(process.execPath, [STOA, 'move', ...ends], { maxBuffer: 1e7 });
      await this.#execute('VACUUM (ANALYZE)', templateOf(dataset));
      process.stderr.write(`moved ${dataset.name} in ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
    }
  }

  prepare(dataset: Dataset): Promise<Prepared> {
    return this.#newDatabase(`TEMPLATE ${templateOf(dataset)} STRATEGY FILE_COPY`);
  }

  prepareEmpty(): Promise<Prepared> {
    return this.#newDatabase('');
  }

  async describe(): Promise<readonly string[]> {
    const { settings, release } = await this.prepareEmpty();
    const lines = await rawRates(String(settings.DATABASE_URL));
    await release();
    return lines;
  }

  close(): Promise<void> {
    return this.#cluster.remove();
  }

  async #newDatabase(options: string): Promise<Prepared> {
    const name = `run_${this.#copies++}`;
    await this.#execute(`CREATE DATABASE ${name} ${options}`);
    await this.#execute('CHECKPOINT');
    return {
      settings: { DATABASE_URL: this.#url(name), SEALING_KEY: randomBytes(32).toString('base64url') },
      release: () => this.#execute(`DROP DATABASE ${name} WITH (FORCE)`),
    };
  }

  #url(database: string): string {
    const url = new URL(this.#cluster.url);
    url.pathname = `/${database}`;
    return url.href;
  }

  async #execute(statement: string, database = 'postgres'): Promise<void> {
    const client = new Client({ connectionString: this.#url(database) });
    await client.connect();
    await client.query(statement);
    await client.end();
  }
}

function templateOf({ name }: Dataset): string {
  return name.replaceAll('-', '_');
}
