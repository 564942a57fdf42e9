import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';
import fc from 'fast-check';

const { STOA_TEST_SEED, STOA_TEST_RUNS } = process.env;

/**
 * Of the 600 s that a test has in `npm test`. After this time a sequence that is under way is given up. A failure that
 * was found before is then reported as it is, with its seed; without one, the test fails for the time.
 */
const LIMIT_MS = 150_000;

type Command<Model extends object, Real> = fc.AsyncCommand<Model, Real>;

/** A command, repeated by its weight, because fast-check picks all entries equally often. */
export type Weighted<Model extends object, Real> = readonly fc.Arbitrary<Command<Model, Real>>[];

/** A command with random arguments and a weight. A sequence leaves the command out where `isAllowed` is false. */
export function command<Model extends object, Real, Arguments extends unknown[]>(
  weight: number,
  title: string,
  args: { [Index in keyof Arguments]: fc.Arbitrary<Arguments[Index]> },
  run: (model: Model, real: Real, ...args: Arguments) => Promise<void>,
  isAllowed: (model: Model) => boolean = () => true,
): Weighted<Model, Real> {
  const one = fc.tuple<Arguments>(...args).map(
    (given): Command<Model, Real> => ({
      check: isAllowed,
      run: (model, real) => run(model, real, ...given),
      toString: () => `${title}(${given.map((each) => fc.stringify(each)).join(', ')})`,
    }),
  );
  return Array(weight).fill(one);
}

/** An item by any number, modulo the number of items. */
export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items.at(index % items.length);
  if (item === undefined) throw new Error('There is nothing to pick from.');
  return item;
}

/** The seed of this run, told for the next: STOA_TEST_SEED gives an earlier one again. */
export function randomSeed(t: TestContext): number {
  const seed = STOA_TEST_SEED === undefined ? randomInt(2 ** 31) : Number(STOA_TEST_SEED);
  t.diagnostic(`STOA_TEST_SEED=${seed}`);
  return seed;
}

/**
 * Runs random sequences of commands against the service and against a model, and fails with the shortest
 * sequence that was found to tell them apart. STOA_TEST_SEED gives the sequences of an earlier run again,
 * and STOA_TEST_RUNS another number of them than `runs`.
 */
export async function runCommands<Model extends object, Real>(
  t: TestContext,
  commands: readonly Weighted<Model, Real>[],
  {
    runs,
    length,
    begin,
    end,
  }: {
    readonly runs: number;
    /** The most commands in a sequence. */
    readonly length: number;
    /** Called before each sequence. */
    readonly begin: () => Promise<{ model: Model; real: Real }>;
    /** Called after each sequence that held: checks what the sequence left. */
    readonly end: (model: Model, real: Real) => Promise<void>;
  },
): Promise<void> {
  const seed = randomSeed(t);
  const sequences = fc.commands(commands.flat(), { maxCommands: length, size: 'max' });
  const property = fc.asyncProperty(sequences, async (sequence) => {
    const started = await begin();
    await fc.asyncModelRun(() => started, sequence);
    await end(started.model, started.real);
  });
  const numRuns = Number(STOA_TEST_RUNS ?? runs);
  // A user who asks for a number of runs gets all of them.
  const limit =
    STOA_TEST_RUNS === undefined ? { interruptAfterTimeLimit: LIMIT_MS, markInterruptAsFailure: true } : {};
  const details = await fc.check(property, { seed, numRuns, ...limit });
  if (!details.failed) return;
  throw new Error(`STOA_TEST_SEED=${seed}\n${fc.defaultReportMessage(details)}`, {
    cause: details.errorInstance,
  });
}
