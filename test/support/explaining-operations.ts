import { appendFileSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** A statement, and how SQLite runs it. */
export interface Explained {
  readonly sql: string;
  readonly plan: readonly string[];
}

/** The variable with the name of the file where the threads note their statements, a line of JSON each. */
export const EXPLAINED_IN = 'STOA_TEST_EXPLAINED_IN';

const { prepare } = DatabaseSync.prototype;

// The operations of the service, in a process whose threads note how SQLite runs each statement when it first runs. A
// partial index is used for the values of a statement, so nothing is explained without them.
DatabaseSync.prototype.prepare = function (sql, options) {
  const statement = prepare.call(this, sql, options);
  const file = process.env[EXPLAINED_IN];
  if (file === undefined || !/^\s*(select|insert|update|delete|with)\b/i.test(sql)) return statement;
  const { all, run } = statement;
  const explain = (values: readonly SQLInputValue[]) => {
    Object.assign(statement, { all, run });
    const rows = prepare.call(this, `EXPLAIN QUERY PLAN ${sql}`).all(...values);
    const explained: Explained = { sql, plan: rows.map(({ detail }) => String(detail)) };
    appendFileSync(file, `${JSON.stringify(explained)}\n`);
  };
  return Object.assign(statement, {
    all: (...values: SQLInputValue[]) => {
      explain(values);
      return statement.all(...values);
    },
    run: (...values: SQLInputValue[]) => {
      explain(values);
      return statement.run(...values);
    },
  });
};

export { OPERATIONS } from '../../src/operations.ts';
