import assert from 'node:assert/strict';
import type { RunningService } from './service.ts';
import { untilThere } from './until.ts';

/** One line of an exposition. */
export interface Series {
  /** With the suffix of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** What was scraped, strictly read. */
export interface Scraped {
  readonly text: string;
  /** Names of metrics with their types. */
  readonly types: ReadonlyMap<string, string>;
  readonly series: readonly Series[];
}

export interface Metrics extends Scraped {
  /** The value of the one series with at least these labels. */
  readonly value: (name: string, labels?: Record<string, string>) => number;
}

/** Where a service with METRICS_PORT=0 serves its metrics. */
export function metricsUrl({ log }: Pick<RunningService, 'log'>): string {
  const served = log.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'metrics are served');
  assert.ok(served, 'the metrics are not served');
  return `http://${served.host}:${served.port}/metrics`;
}

export async function scrape(service: Pick<RunningService, 'log'>): Promise<Metrics> {
  const response = await fetch(metricsUrl(service));
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  const scraped = parseMetrics(await response.text());
  const value = (name: string, labels: Record<string, string> = {}) => {
    const found = select(scraped, name, labels);
    assert.equal(found.length, 1, `${found.length} series ${name} ${JSON.stringify(labels)}`);
    return found[0]?.value ?? Number.NaN;
  };
  return { ...scraped, value };
}

/** Metrics whose figures of the database are newer. On a busy machine those may be late. */
export async function measured(service: Parameters<typeof scrape>[0], than?: Metrics): Promise<Metrics> {
  const at = than?.value('stoa_measured_timestamp_seconds') ?? 0;
  return untilThere(async () => {
    const metrics = await scrape(service);
    return metrics.value('stoa_measured_timestamp_seconds') > at ? metrics : undefined;
  }, 'the figures of the database are read again');
}

/** The series of a name with at least these labels. */
export function select(
  { series }: Pick<Scraped, 'series'>,
  name: string,
  labels: Record<string, string> = {},
): readonly Series[] {
  return series.filter(
    (each) =>
      each.name === name && Object.entries(labels).every(([key, value]) => each.labels[key] === value),
  );
}

const HELP = /^# HELP ([a-zA-Z_:][\w:]*) (\S.*)$/;
const TYPE = /^# TYPE ([a-zA-Z_:][\w:]*) (counter|gauge|histogram|summary)$/;
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/**
 * Reads the text format of Prometheus (version 0.0.4) strictly. Fails at a line that is none of the format, at a series
 * without HELP and TYPE before it, at one that is there twice, and at a histogram that is not cumulative.
 */
export function parseMetrics(text: string): Scraped {
  assert.ok(text.endsWith('\n'), 'the text does not end with a line');
  const helps = new Set<string>();
  const types = new Map<string, string>();
  const series: Series[] = [];
  const seen = new Set<string>();
  let current = '';
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const [, helped] = HELP.exec(line) ?? [];
    const [, typed, type] = TYPE.exec(line) ?? [];
    if (helped) {
      assert.ok(!helps.has(helped), line);
      helps.add(helped);
    } else if (typed && type) {
      assert.ok(helps.has(typed) && !types.has(typed), line);
      types.set(typed, type);
      current = typed;
    } else {
      const read = seriesOf(line);
      const key = JSON.stringify([read.name, Object.entries(read.labels).toSorted()]);
      assert.ok(!seen.has(key), `twice: ${line}`);
      seen.add(key);
      assert.ok(isOf(read.name, current, types.get(current)), `under the wrong metric: ${line}`);
      series.push(read);
    }
  }
  assertCumulative(series, types);
  return { text, types, series };
}

function seriesOf(line: string): Series {
  const [, name, inner = '', value] = LINE.exec(line) ?? [];
  assert.ok(name, `no line of the format: ${line}`);
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inner.length) {
    const [, label, of] = LABEL.exec(inner) ?? [];
    assert.ok(label !== undefined && of !== undefined && !Object.hasOwn(labels, label), line);
    labels[label] = of;
  }
  const number = Number(value?.replace('Inf', 'Infinity'));
  return { name, labels, value: number };
}

function isOf(name: string, metric: string, type: string | undefined): boolean {
  const parts = type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
  return parts.some((part) => name === metric + part);
}

function assertCumulative(series: readonly Series[], types: ReadonlyMap<string, string>): void {
  for (const [name, type] of types) {
    if (type !== 'histogram') continue;
    const buckets = series.filter((each) => each.name === `${name}_bucket`);
    const ofOne = Map.groupBy(buckets, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
    for (const [labels, found] of ofOne) {
      const values = found.map(({ value }) => value);
      assert.deepEqual(
        values,
        values.toSorted((one, other) => one - other),
        `${name} ${labels}`,
      );
      assert.equal(found.at(-1)?.labels.le, '+Inf');
      const [count] = select({ series }, `${name}_count`, JSON.parse(labels));
      assert.equal(count?.value, values.at(-1), `${name} ${labels}`);
    }
  }
}
