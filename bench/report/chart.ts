import type { CostPoint, LatencyBars } from '../row.ts';
import { curves } from './cost-panel.ts';
import { bars } from './latency-panel.ts';
import { WIDTH } from './svg.ts';

/** Both pictures in one SVG: latency percentiles by work, and cost against size. Logarithmic scales. */
export function chart(latency: readonly LatencyBars[], cost: readonly CostPoint[]): string {
  const top = bars(latency);
  const bottom = curves(cost);
  const height = top.height + bottom.height;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="11">
<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>
${top.svg}
<g transform="translate(0 ${top.height})">
${bottom.svg}
</g>
</svg>
`;
}
