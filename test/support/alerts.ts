import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Scraped } from './metrics.ts';
import { evaluate, type Sample, secondsOf } from './promql.ts';

export interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
}

export const RULES: readonly Rule[] = parse(
  readFileSync(new URL('../../docs/examples/alerts.yml', import.meta.url), 'utf8'),
).groups[0].rules;

/** Names of the alerts that fire at the last sample: their query had a result at each sample for the time of the rule. */
export function firing(samples: readonly Sample[]): string[] {
  return RULES.filter((rule) => isFiring(rule, samples)).map(({ alert }) => alert);
}

/** Names of the alerts that fire where every scrape of 20 minutes is as this one. */
export function firingWhile({ series }: Pick<Scraped, 'series'>): string[] {
  return firing(Array.from({ length: 21 }, (_, minute) => ({ at: minute * 60, series })));
}

function isFiring({ expr, for: wait }: Rule, samples: readonly Sample[]): boolean {
  const hasResult = samples.map((_, index) => {
    const value = evaluate(expr, samples.slice(0, index + 1));
    return typeof value !== 'number' && value.length > 0;
  });
  const since = samples[hasResult.lastIndexOf(false) + 1]?.at;
  return since !== undefined && (samples.at(-1)?.at ?? 0) - since >= secondsOf(wait);
}
