import type { Compilable, CompiledQuery } from 'kysely';
import type { Db } from './tables.ts';

/**
 * A statement that is built and compiled once for each database and then only run, for paths so hot
 * that building it costs more than running it. `build` is called with the first values and must use
 * each of them once, in this order, and decide nothing by them.
 */
export function compiledOnce<Row, Values extends readonly unknown[]>(
  build: (db: Db, ...values: Values) => Compilable<Row>,
): (db: Db, ...values: Values) => Promise<Row[]> {
  const compiled = new WeakMap<Db, CompiledQuery<Row>>();
  return async (db, ...values) => {
    let query = compiled.get(db);
    if (!query) {
      query = build(db, ...values).compile();
      if (!sameInOrder(query.parameters, values)) {
        throw new Error(`The statement does not take its values once and in order: ${query.sql}`);
      }
      compiled.set(db, query);
    }
    const { rows } = await db.executeQuery<Row>({ ...query, parameters: values });
    return rows;
  };
}

function sameInOrder(parameters: readonly unknown[], values: readonly unknown[]): boolean {
  return parameters.length === values.length && parameters.every((each, index) => each === values[index]);
}
