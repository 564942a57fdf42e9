import type { LatencyBars } from '../row.ts';
import { logScale, type Panel, text, WIDTH } from './svg.ts';

const LEFT = 380;
const ROW = 17;
const TOP = 62;
const MARKS = [
  { name: 'p50', colour: '#1b6ca8' },
  { name: 'p90', colour: '#3fa796' },
  { name: 'p99', colour: '#e08e45' },
  { name: 'p999', colour: '#b23a48' },
] as const;

/** One line for each kind of work, with its percentiles as dots. */
export function bars(latency: readonly LatencyBars[]): Panel {
  const bottom = TOP + latency.length * ROW;
  const values = latency.flatMap((each) => MARKS.map(({ name }) => each.latency[name]));
  const { at, ticks } = logScale(values, LEFT, WIDTH - 30);
  const parts = [text(20, 24, 'Latency', 'font-size="16" font-weight="600"')];
  for (const [index, { name, colour }] of MARKS.entries()) {
    parts.push(`<circle cx="${LEFT + index * 70}" cy="20" r="4" fill="${colour}"/>`);
    parts.push(text(LEFT + 8 + index * 70, 24, name === 'p999' ? 'p99.9' : name));
  }
  for (const tick of ticks) {
    const x = at(tick);
    parts.push(`<path d="M${x.toFixed(1)} ${TOP - 8}V${bottom}" stroke="#dddddd"/>`);
    parts.push(text(x, TOP - 12, `${tick} ms`, 'text-anchor="middle" fill="#666666"'));
  }
  for (const [index, { label, latency: values }] of latency.entries()) {
    const y = TOP + index * ROW + ROW / 2;
    const [from, to] = [at(values.p50), at(values.p999)];
    parts.push(text(LEFT - 10, y + 4, label, 'text-anchor="end"'));
    parts.push(`<path d="M${from.toFixed(1)} ${y}H${to.toFixed(1)}" stroke="#aaaaaa"/>`);
    for (const { name, colour } of MARKS)
      parts.push(`<circle cx="${at(values[name]).toFixed(1)}" cy="${y}" r="4" fill="${colour}"/>`);
  }
  return { svg: parts.join('\n'), height: bottom + 20 };
}
