import assert from 'node:assert/strict';
import { parser } from '@prometheus-io/lezer-promql';
import type { Series } from './metrics.ts';

/** What Prometheus has of one scrape. */
export interface Sample {
  /** Seconds since 1970. */
  readonly at: number;
  readonly series: readonly Series[];
}

/** The series that a query asks for, and what their labels have to match. */
interface Selector {
  readonly name: string;
  readonly labels: Readonly<Record<string, Matcher>>;
}

interface Matcher {
  readonly pattern: RegExp;
  /** False where the label must not match. */
  readonly isWanted: boolean;
}

type Node = ReturnType<typeof parser.parse>['topNode'];
type Element = Omit<Series, 'name'>;
type Value = number | readonly Element[];

/** Prometheus does not look for a sample further back than this, in seconds. */
const LOOK_BACK = 300;
const UNITS: Record<string, number> = { s: 1, m: 60, h: 3_600, d: 86_400 };
const NUMBERS: Record<string, (left: number, right: number) => number> = {
  Mul: (left, right) => left * right,
  Sub: (left, right) => left - right,
  Add: (left, right) => left + right,
};
const COMPARISONS: Record<string, (left: number, right: number) => boolean> = {
  Eql: (left, right) => left === right,
  Gtr: (left, right) => left > right,
  Lss: (left, right) => left < right,
};

/** Seconds of a time such as `5m`. */
export function secondsOf(time: string): number {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(time) ?? [];
  const seconds = Number(count) * (UNITS[unit] ?? Number.NaN);
  assert.ok(seconds >= 0, `no time: ${time}`);
  return seconds;
}

/**
 * What a query asks for: names of series with the labels that select some of them. Fails where the query is not PromQL.
 */
export function selectorsOf(query: string): Selector[] {
  const found: Selector[] = [];
  parser.parse(query).iterate({
    enter: (node) => {
      assert.ok(!node.type.isError, `no PromQL at character ${node.from}: ${query}`);
      if (node.name === 'VectorSelector') found.push(selectorOf(node.node, query));
    },
  });
  return found;
}

/**
 * The value of a query at the last sample, as Prometheus would compute it. Knows the part of PromQL that our alert rules
 * use, and fails at all else.
 */
export function evaluate(query: string, samples: readonly Sample[]): Value {
  selectorsOf(query);
  const top = parser.parse(query).topNode.firstChild;
  const now = samples.at(-1)?.at;
  assert.ok(top && now !== undefined);
  return valueAt(top, { query, samples, now });
}

interface Context {
  readonly query: string;
  readonly samples: readonly Sample[];
  readonly now: number;
}

function valueAt(node: Node, context: Context): Value {
  const text = context.query.slice(node.from, node.to);
  if (node.name === 'NumberDurationLiteral') return Number(text);
  if (node.name === 'VectorSelector') return instant(node, context);
  if (node.name === 'BinaryExpr') return binary(node, context);
  if (node.name === 'AggregateExpr') return sumBy(node, context);
  const [name, ...parameters] = [
    node.getChild('FunctionIdentifier')?.firstChild?.name,
    ...(node.getChild('FunctionCallBody')?.getChildren('Expr') ?? []),
  ];
  const [first, second] = parameters;
  if (name === 'Time') return context.now;
  if (first && name === 'Increase') return increase(first, context);
  if (first && name === 'Rate') return increase(first, context, true);
  if (first && second && name === 'HistogramQuantile')
    return quantile(Number(valueAt(first, context)), vector(valueAt(second, context)));
  throw new Error(`The tests cannot evaluate ${node.name}: ${text}`);
}

function vector(value: Value): readonly Element[] {
  assert.ok(typeof value !== 'number', 'a number instead of series');
  return value;
}

function selectorOf(node: Node, query: string): Selector {
  const textOf = (each: Node | null) => (each ? query.slice(each.from, each.to) : '');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const labels = matchers.map((each) => {
    const [operator, text] = [
      textOf(each.getChild('MatchOp')),
      textOf(each.getChild('StringLiteral')).slice(1, -1),
    ];
    assert.ok(operator === '=' || operator === '=~' || operator === '!~', operator);
    const pattern = new RegExp(`^(?:${operator === '=' ? RegExp.escape(text) : text})$`);
    return [textOf(each.getChild('LabelName')), { pattern, isWanted: operator !== '!~' }];
  });
  return { name: textOf(node.getChild('Identifier')), labels: Object.fromEntries(labels) };
}

function selected({ series }: Sample, { name, labels }: Selector): readonly Series[] {
  const wanted = Object.entries(labels);
  return series.filter(
    (each) =>
      each.name === name &&
      wanted.every(([key, of]) => of.pattern.test(String(each.labels[key] ?? '')) === of.isWanted),
  );
}

function instant(node: Node, { query, samples, now }: Context): Element[] {
  const last = samples.at(-1);
  if (!last || last.at <= now - LOOK_BACK) return [];
  return selected(last, selectorOf(node, query)).map(({ labels, value }) => ({ labels, value }));
}

/** Extrapolated to the edges of the range as Prometheus does it, but not to before a counter was 0. */
function increase(node: Node, { query, samples, now }: Context, isRate = false): Element[] {
  const [selector, time] = [node.getChild('VectorSelector'), node.getChild('DurationExpr')];
  assert.ok(selector && time);
  const range = secondsOf(query.slice(time.from, time.to));
  const found = samples
    .filter(({ at }) => at >= now - range)
    .flatMap((sample) =>
      selected(sample, selectorOf(selector, query)).map((of) => ({ ...of, at: sample.at })),
    );
  return [...Map.groupBy(found, ({ labels }) => keyOf(labels)).values()].flatMap((points) => {
    const [first, last] = [points[0], points.at(-1)];
    if (!first || !last || first === last) return [];
    const resets = points.map(({ value }, index) => {
      const before = points[index - 1]?.value ?? 0;
      return value < before ? before : 0;
    });
    const grown = last.value - first.value + resets.reduce((sum, each) => sum + each, 0);
    const covered = last.at - first.at;
    const between = covered / (points.length - 1);
    const edge = (length: number) => (length >= between * 1.1 ? between / 2 : length);
    const sinceZero = grown > 0 ? (covered * first.value) / grown : Number.POSITIVE_INFINITY;
    const atStart = Math.min(edge(first.at - (now - range)), sinceZero);
    const whole = (grown * (covered + atStart + edge(now - last.at))) / covered;
    return [{ labels: first.labels, value: isRate ? whole / range : whole }];
  });
}

function sumBy(node: Node, context: Context): Element[] {
  assert.ok(node.getChild('AggregateOp')?.getChild('Sum'), 'only sums');
  const by = node.getChild('AggregateModifier')?.getChild('GroupingLabels')?.getChildren('LabelName') ?? [];
  const names = by.map(({ from, to }) => context.query.slice(from, to));
  const body = node.getChild('FunctionCallBody')?.getChild('Expr');
  assert.ok(body);
  const kept = ({ labels }: Element) => names.flatMap((name) => (labels[name] ? [[name, labels[name]]] : []));
  const groups = Map.groupBy(vector(valueAt(body, context)), (each) => JSON.stringify(kept(each)));
  return [...groups].map(([key, elements]) => ({
    labels: Object.fromEntries(JSON.parse(key)),
    value: elements.reduce((sum, { value }) => sum + value, 0),
  }));
}

function quantile(part: number, buckets: readonly Element[]): Element[] {
  const withoutLe = ({ labels: { le: _, ...labels } }: Element) => JSON.stringify(labels);
  return [...Map.groupBy(buckets, withoutLe)].flatMap(([key, of]) => {
    const bounds = of.map(({ labels: { le }, value }) => ({
      le: Number(le?.replace('+Inf', 'Infinity')),
      value,
    }));
    bounds.sort((one, other) => one.le - other.le);
    const rank = part * (bounds.at(-1)?.value ?? 0);
    if (rank === 0) return [];
    const index = bounds.findIndex(({ value }) => value >= rank);
    const [before = { le: 0, value: 0 }, at] = [bounds[index - 1], bounds[index]];
    if (!at) return [];
    const within = ((at.le - before.le) * (rank - before.value)) / (at.value - before.value);
    return [
      { labels: JSON.parse(key), value: at.le === Number.POSITIVE_INFINITY ? before.le : before.le + within },
    ];
  });
}

function binary(node: Node, context: Context): Value {
  const [one, other] = node.getChildren('Expr');
  assert.ok(one && other);
  const [left, right] = [valueAt(one, context), valueAt(other, context)];
  const operator = one.nextSibling?.name ?? '';
  const pairOf = ({ labels }: Element, among: Value) =>
    typeof among === 'number' ? among : among.find((each) => keyOf(each.labels) === keyOf(labels))?.value;
  if (operator === 'And') return vector(left).filter((each) => pairOf(each, right) !== undefined);
  const [compare, compute] = [COMPARISONS[operator], NUMBERS[operator]];
  if (compare) return vector(left).filter((each) => compare(each.value, pairOf(each, right) ?? Number.NaN));
  assert.ok(compute, `The tests cannot evaluate ${operator}.`);
  if (typeof left !== 'number')
    return left.map((each) => ({ ...each, value: compute(each.value, pairOf(each, right) ?? Number.NaN) }));
  return typeof right === 'number'
    ? compute(left, right)
    : right.map((each) => ({ ...each, value: compute(left, each.value) }));
}

function keyOf(labels: Series['labels']): string {
  return JSON.stringify(Object.entries(labels).toSorted());
}
