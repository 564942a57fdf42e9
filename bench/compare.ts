import type { Job, Measured, Percentiles } from './load/job.ts';
import { type Bench, median, medianPercentiles } from './row.ts';
import { processorTime } from './servers/usage.ts';

/** What is measured in every round. A `chain` continues with the last tokens of the round before. */
export interface Side extends Omit<Job, 'seconds'> {
  /** The process that answers, if its processor time is wanted. */
  readonly pid?: number;
}

export interface Comparison {
  /** The median over the rounds of first rate / second rate. */
  readonly ratio: number;
  /** The median over the rounds of first p99 / second p99. */
  readonly p99Ratio: number;
  readonly first: Figures;
  readonly second: Figures;
}

export interface Figures {
  readonly rate: number;
  /** Microseconds of processor time for each answer, over all threads of the process. */
  readonly processor: number;
  readonly latency: Percentiles;
  readonly errors: number;
}

interface Surroundings {
  /** Runs while the first side is measured. The returned function ends it. */
  readonly during?: () => Promise<() => Promise<void>>;
}

const WARM_UP_SECONDS = 2;

/**
 * Measures two sides alternately, for several rounds, so that other load on the machine disturbs both alike. Only the
 * ratios within a round count. The side that begins alternates too.
 */
export async function compare(
  bench: Bench,
  first: Side,
  second: Side,
  { during }: Surroundings = {},
): Promise<Comparison> {
  const one = new Measurements(bench, first, during);
  const two = new Measurements(bench, second);
  const isOneProcess = first.pid === second.pid;
  const turns = [
    { side: one, resting: isOneProcess ? undefined : second.pid },
    { side: two, resting: isOneProcess ? undefined : first.pid },
  ];
  for (const { side } of turns) await side.warmUp();
  for (let round = 0; round < bench.rounds; round++) {
    for (const { side, resting } of round % 2 === 0 ? turns : turns.toReversed()) {
      await whileStopped(resting, () => side.measure());
    }
  }
  const pairs = one.all.map((each, index) => ({ one: each, two: two.all[index] ?? each }));
  return {
    ratio: median(pairs.map(({ one, two }) => one.rate / two.rate)),
    p99Ratio: median(pairs.map(({ one, two }) => one.latency.p99 / two.latency.p99)),
    first: one.figures(),
    second: two.figures(),
  };
}

/** Stops the resting side, so that its work in the background, such as indexing, does not slow the other side. */
async function whileStopped(pid: number | undefined, work: () => Promise<void>): Promise<void> {
  if (pid === undefined) return work();
  process.kill(pid, 'SIGSTOP');
  try {
    await work();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

/** Measures only one side, for several rounds. */
export async function measureAlone(bench: Bench, side: Side): Promise<Figures> {
  const measurements = new Measurements(bench, side);
  await measurements.warmUp();
  for (let round = 0; round < bench.rounds; round++) await measurements.measure();
  return measurements.figures();
}

class Measurements {
  readonly all: Measured[] = [];
  readonly #bench: Bench;
  readonly #during: Surroundings['during'];
  readonly #processor: number[] = [];
  #side: Side;

  constructor(bench: Bench, side: Side, during?: Surroundings['during']) {
    this.#bench = bench;
    this.#side = side;
    this.#during = during;
  }

  async warmUp(): Promise<void> {
    await this.#run(Math.min(WARM_UP_SECONDS, this.#bench.seconds));
  }

  async measure(): Promise<void> {
    const end = await this.#during?.();
    const before = this.#processorTime();
    const measured = await this.#run(this.#bench.seconds);
    this.#processor.push((this.#processorTime() - before) / Math.max(1, measured.answers));
    this.all.push(measured);
    await end?.();
  }

  figures(): Figures {
    return {
      rate: median(this.all.map(({ rate }) => rate)),
      processor: median(this.#processor),
      latency: medianPercentiles(this.all.map(({ latency }) => latency)),
      errors: this.all.reduce((sum, { errors }) => sum + errors, 0),
    };
  }

  #processorTime(): number {
    return this.#side.pid === undefined ? 0 : processorTime(this.#side.pid);
  }

  async #run(seconds: number): Promise<Measured> {
    const measured = await this.#bench.load.run({ ...this.#side, seconds });
    if (this.#side.chain) this.#side = { ...this.#side, chain: measured.chain };
    return measured;
  }
}
