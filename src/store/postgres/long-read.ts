import { LONG_READ_MS, tookTooLong } from '../deadline.ts';
import type { ReadOperation } from '../operation.ts';
import { kyselyOn, postgresEngine } from './dialect.ts';
import { wasCanceled } from './errors.ts';
import type { Runner } from './pipeline/index.ts';
import { type ConnectionPool, GRACE_MS } from './pool.ts';
import { transaction } from './transaction.ts';

/** A long read sees one snapshot from its first statement to its last. */
const begin = (limitMs: number) => [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  `SET LOCAL statement_timeout = ${limitMs}`,
  'SET LOCAL max_parallel_workers_per_gather = 0',
];

/**
 * Runs a long read on a connection of its own. Each statement may take LONG_READ_MS, times the patience. Fails as
 * `tookTooLong`, and when `silence` aborts.
 */
export async function longRead<Input, Output>(
  pool: ConnectionPool,
  operation: ReadOperation<Input, Output>,
  input: Input,
  { patience, silence }: { readonly patience: number; readonly silence: AbortSignal },
): Promise<Output> {
  const limitMs = patience * LONG_READ_MS;
  const run = (runner: Runner) => operation.run(kyselyOn(runner), input, postgresEngine);
  try {
    return await transaction(pool, begin(limitMs), run, { milliseconds: limitMs + GRACE_MS, silence });
  } catch (error) {
    throw wasCanceled(error) ? tookTooLong(error.cause) : error;
  }
}
