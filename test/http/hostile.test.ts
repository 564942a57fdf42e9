// Needs: processes.

import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { ENGINES, onEveryEngine } from '../support/engines.ts';
import { CONNECTION_ATTACKS } from '../support/hostile/attacks/connections.ts';
import { ITEM_ATTACKS } from '../support/hostile/attacks/items.ts';
import { TEXT_ATTACKS } from '../support/hostile/attacks/texts.ts';
import { WORK_ATTACKS } from '../support/hostile/attacks/work.ts';
import { play } from '../support/hostile/play.ts';
import { type Line, tableOf } from '../support/hostile/table.ts';

/** `npm run test:hostile` plays all, three rounds each, on a machine that does nothing else, and holds the times. */
const ROUNDS = Number(process.env.HOSTILE_ROUNDS ?? 1);
const IS_LONG = ROUNDS > 1;
const LENGTH = { rounds: ROUNDS, milliseconds: IS_LONG ? 3_000 : 1_000 };

/** Of the promise: nobody else waits longer, and the service takes no more memory. */
const MOST_WAIT_MS = 250;
const MOST_MEMORY = 512 * 1024 * 1024;

const ALL = [...TEXT_ATTACKS, ...CONNECTION_ATTACKS, ...WORK_ATTACKS, ...ITEM_ATTACKS];
const SHORT = ALL.filter(({ isShort }) => isShort);
const SHORT_OF_STORE = SHORT.filter(({ reachesNoRow }) => !reachesNoRow);

onEveryEngine('Attacks', (engine) => {
  const attacks = IS_LONG ? ALL : engine === ENGINES[0] ? SHORT : SHORT_OF_STORE;
  const lines: Line[] = [];
  after(() => process.stdout.write(`${tableOf(engine.name, lines)}\n`));

  it(`Other users are served and memory stays limited during ${attacks.length} attacks, one after another`, async (t) => {
    for (const attack of attacks)
      await t.test(`Other users are served during this attack: ${attack.title}`, async (t) => {
        const outcome = await play(t, engine, attack, LENGTH);
        lines.push({ title: attack.title, outcome });
        const { livez, read, login, peak, refused, answers, heldBefore, heldAfter } = outcome;
        assert.deepEqual(refused, [], 'answers to the honest user that were not 200');
        const missing = attack.needs.filter((answer) => !answers.has(answer));
        assert.deepEqual(missing, [], 'answers that the attackers need and did not get');
        assert.ok(peak < MOST_MEMORY, `${Math.round(peak / 1024 / 1024)} MiB`);
        assert.ok(heldAfter <= heldBefore, `${heldAfter} connections, ${heldBefore} before`);
        if (!IS_LONG) return;
        for (const [what, wait] of Object.entries({ livez, read, login }))
          assert.ok(wait < MOST_WAIT_MS, `${what}: ${Math.round(wait)} ms`);
      });
  });
});
