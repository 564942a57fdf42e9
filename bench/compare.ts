import type { Job, Measured, Percentiles } from './load/job.ts';
import { type Bench, median, medianPercentiles } from './row.ts';

/** Something that can be measured again and again; `chain` carries on where the last round ended. */
export type Side = Omit<Job, 'seconds'>;

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
  readonly latency: Percentiles;
  readonly errors: number;
}

interface Surroundings {
  /** Runs while the first side is measured; the returned function ends it. */
  readonly during?: () => Promise<() => Promise<void>>;
}

const WARM_UP_SECONDS = 2;

/**
 * Measures two sides in turn, several rounds each, so that whatever else the machine does falls on
 * both alike; only the ratios within a round are compared. The first to go alternates.
 */
export async function compare(
  bench: Bench,
  first: Side,
  second: Side,
  { during }: Surroundings = {},
): Promise<Comparison> {
  const sides = [new Measurements(bench, first, during), new Measurements(bench, second)] as const;
  for (const side of sides) await side.warmUp();
  for (let round = 0; round < bench.rounds; round++) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) await side.measure();
  }
  const [one, two] = sides;
  const pairs = one.all.map((each, index) => ({ one: each, two: two.all[index] ?? each }));
  return {
    ratio: median(pairs.map(({ one, two }) => one.rate / two.rate)),
    p99Ratio: median(pairs.map(({ one, two }) => one.latency.p99 / two.latency.p99)),
    first: one.figures(),
    second: two.figures(),
  };
}

/** Measures one side alone, several rounds. */
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
    this.all.push(await this.#run(this.#bench.seconds));
    await end?.();
  }

  figures(): Figures {
    return {
      rate: median(this.all.map(({ rate }) => rate)),
      latency: medianPercentiles(this.all.map(({ latency }) => latency)),
      errors: this.all.reduce((sum, { errors }) => sum + errors, 0),
    };
  }

  async #run(seconds: number): Promise<Measured> {
    const measured = await this.#bench.load.run({ ...this.#side, seconds });
    if (this.#side.chain) this.#side = { ...this.#side, chain: measured.chain };
    return measured;
  }
}
