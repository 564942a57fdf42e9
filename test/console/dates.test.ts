import assert from 'node:assert/strict';
import { it } from 'node:test';
import { timeText } from '../../console/src/parts/times.ts';

const DAY_FIRST = /^2 Mar 2026, \d{2}:\d{2}$/;
const MONTH_FIRST = /^Mar 2, 2026, .+ [AP]M$/;

// `content-lists.test.ts` asks a browser the same, for regions that speak another language than the console.
for (const [languages, date] of [
  [['en-GB'], DAY_FIRST],
  [['en-AU'], /^2 Mar 2026, .+ [ap]m$/],
  [['en-US'], MONTH_FIRST],
  // A browser without any region.
  [['en'], MONTH_FIRST],
  [['en', 'de-DE'], DAY_FIRST],
] as const)
  it(`Dates have the order of the first region in ${languages.join()}`, (t) => {
    t.mock.getter(Object.getPrototypeOf(navigator), 'languages', () => languages);
    assert.match(timeText('2026-03-02T12:10:00Z'), date);
  });
