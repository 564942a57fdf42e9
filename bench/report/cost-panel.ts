import type { CostPoint } from '../row.ts';
import { logScale, type Panel, text, WIDTH } from './svg.ts';

const LEFT = 90;
const RIGHT = WIDTH - 270;
const TOP = 50;
const BOTTOM = 330;
const COLOURS = ['#1b6ca8', '#e08e45', '#3fa796', '#b23a48', '#7a5195'];

/** Time for one answer by size: a flat line means that the cost does not grow. */
export function curves(cost: readonly CostPoint[]): Panel {
  const x = logScale(
    cost.map(({ size }) => size),
    LEFT,
    RIGHT,
  );
  const y = logScale(
    cost.map(({ microseconds }) => microseconds),
    BOTTOM,
    TOP,
  );
  const parts = [text(20, 24, 'Cost against size', 'font-size="16" font-weight="600"')];
  for (const tick of x.ticks) {
    const at = x.at(tick);
    parts.push(`<path d="M${at.toFixed(1)} ${TOP}V${BOTTOM}" stroke="#eeeeee"/>`);
    parts.push(text(at, BOTTOM + 18, tick.toLocaleString('en'), 'text-anchor="middle" fill="#666666"'));
  }
  for (const tick of y.ticks) {
    const at = y.at(tick);
    parts.push(`<path d="M${LEFT} ${at.toFixed(1)}H${RIGHT}" stroke="#dddddd"/>`);
    parts.push(text(LEFT - 8, at + 4, duration(tick), 'text-anchor="end" fill="#666666"'));
  }
  const series = Map.groupBy(cost, ({ series }) => series);
  for (const [index, [name, points]] of [...series].entries()) {
    const colour = COLOURS[index % COLOURS.length] ?? '#000000';
    const sorted = points.toSorted((a, b) => a.size - b.size);
    const places = sorted.map(
      ({ size, microseconds }) => `${x.at(size).toFixed(1)} ${y.at(microseconds).toFixed(1)}`,
    );
    parts.push(`<path d="M${places.join('L')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`);
    for (const place of places) {
      const [cx, cy] = place.split(' ');
      parts.push(`<circle cx="${cx}" cy="${cy}" r="3.5" fill="${colour}"/>`);
    }
    parts.push(`<circle cx="${RIGHT + 24}" cy="${TOP + 10 + index * 20}" r="4" fill="${colour}"/>`);
    parts.push(text(RIGHT + 34, TOP + 14 + index * 20, name));
  }
  return { svg: parts.join('\n'), height: BOTTOM + 40 };
}

function duration(microseconds: number): string {
  return microseconds < 1000 ? `${microseconds} µs` : `${microseconds / 1000} ms`;
}
