import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { parse } from 'yaml';
import { METRICS } from '../../src/domain/metrics.ts';

const EXAMPLES = new URL('../../docs/examples/', import.meta.url);
const ALERTS = readFileSync(new URL('alerts.yml', EXAMPLES), 'utf8');
const DASHBOARD = readFileSync(new URL('grafana.json', EXAMPLES), 'utf8');
const DECLARED = new Map(Object.entries(METRICS));

/** What a query may name of each type beside the metric itself. */
function seriesOf(name: string): string | undefined {
  const of = name.replace(/_(bucket|sum|count)$/, '');
  return DECLARED.has(name) ? name : DECLARED.get(of)?.type === 'histogram' ? of : undefined;
}

for (const [title, text] of [
  ['alert rules', ALERTS],
  ['dashboard', DASHBOARD],
] as const)
  it(`Each metric in the ${title} is one that the service reports`, () => {
    const names = text.match(/\bstoa_[a-z_]+/g) ?? [];
    assert.ok(names.length >= 10);
    assert.deepEqual(
      names.filter((name) => seriesOf(name) === undefined),
      [],
    );
  });

it('Each alert has a name of its own, a query, a time to wait, a severity and a sentence', () => {
  const { groups } = parse(ALERTS);
  const rules: Record<string, Record<string, string> | string>[] = groups[0].rules;
  for (const { alert, expr, for: wait, labels, annotations } of rules) {
    assert.match(String(expr), /stoa_|^up\{job="stoa"\}/, String(alert));
    assert.match(String(wait), /^\d+[sm]$/);
    assert.match(JSON.stringify(labels), /^\{"severity":"(page|ticket)"\}$/);
    assert.match(JSON.stringify(annotations), /^\{"summary":"[^"].*\."\}$/);
  }
  assert.equal(new Set(rules.map(({ alert }) => alert)).size, rules.length);
});

it('The panels of the dashboard ask the chosen source, and none lies over another', () => {
  const { panels } = JSON.parse(DASHBOARD);
  const places = panels.map(({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`);
  assert.equal(new Set(places).size, panels.length);
  for (const { datasource } of panels) assert.equal(datasource.uid, `\${source}`);
});
