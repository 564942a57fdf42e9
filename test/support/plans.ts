import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { type CompiledQuery, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { kyselyOver } from '../../src/store/kysely.ts';
import { announceNothing, type ReadOperation } from '../../src/store/operation.ts';
import { kyselyOn } from '../../src/store/sqlite/dialect.ts';
import { fewAtOnce } from './few-at-once.ts';
import { connect } from './postgres.ts';

/** The steps of the plans of all statements that the operation runs for a query. */
type PlansOf<Query> = (query: Query) => Promise<string[]>;

type Operation<Query> = Pick<ReadOperation<Query, unknown>, 'run'>;

/** Tells the plans of an operation on the database at this URL, of either engine. */
export function plansOn<Query>(
  t: TestContext,
  url: string,
  operation: Operation<Query>,
): Promise<PlansOf<Query>> {
  return (url.startsWith('sqlite:') ? onSqlite : onPostgres)(t, url, operation);
}

async function onSqlite<Query>(
  t: TestContext,
  url: string,
  operation: Operation<Query>,
): Promise<PlansOf<Query>> {
  const file = new DatabaseSync(url.replace('sqlite:', ''));
  t.after(() => file.close());
  file.function('stoa_in_time', () => 1);
  const prepared = t.mock.method(file, 'prepare');
  return async (query) => {
    prepared.mock.resetCalls();
    // Statements are prepared once for each Kysely instance.
    await operation.run(kyselyOn(file), query, engineOf('sqlite'));
    const statements = prepared.mock.calls.map(({ arguments: [sql] }) => sql);
    return statements.flatMap((sql) =>
      file
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    );
  };
}

async function onPostgres<Query>(
  t: TestContext,
  url: string,
  operation: Operation<Query>,
): Promise<PlansOf<Query>> {
  const client = await connect(url);
  t.after(() => client.end());
  const steps: string[] = [];
  // A connection runs one statement at a time, and an operation may begin several.
  const inTurn = fewAtOnce(1);
  const explain = async ({ sql, parameters }: CompiledQuery) => {
    const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, [...parameters]);
    steps.push(...plan.map((row) => row['QUERY PLAN']));
    const { rows } = await client.query(sql, [...parameters]);
    return { rows };
  };
  const db = kyselyOver((query) => inTurn(() => explain(query)), {
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (on) => new PostgresIntrospector(on),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  });
  return async (query) => {
    steps.length = 0;
    await client.query('begin');
    await operation.run(db, query, engineOf('postgres'));
    await client.query('commit');
    return [...steps];
  };
}

function engineOf(name: 'sqlite' | 'postgres') {
  const lock = announceNothing;
  return { name, announce: announceNothing, lock, lockShared: lock, tryLock: lock };
}
