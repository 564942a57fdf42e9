// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Measured } from '../support/accounts/measured.ts';
import { roundTrip } from '../support/accounts/round-trip.ts';
import { onEveryEngine, temporaryFolder } from '../support/engines.ts';

/** `npm run test:import` has more. */
const ACCOUNTS = Number(process.env.STOA_TEST_ACCOUNTS ?? 250);
/** A command that kept the file of the long form in memory, as text and as objects, would pass it. */
const MOST_MEMORY = 256 * 1024 * 1024;

onEveryEngine(`${ACCOUNTS} accounts in five foreign formats`, (engine) => {
  it('Accounts in five foreign formats survive an import, an export and another import unchanged', async (t) => {
    const [one, other] = [await engine.settings(t), await engine.settings(t)];
    const report = await roundTrip(await temporaryFolder(t), ACCOUNTS, one, other);
    for (const [what, { seconds, memory }] of Object.entries<Measured>({ ...report })) {
      t.diagnostic(`${what}: ${seconds.toFixed(1)} s, ${Math.round(memory / 1024 / 1024)} MiB`);
      assert.ok(memory < MOST_MEMORY, `${what}: ${memory} bytes of memory`);
    }
  });
});
