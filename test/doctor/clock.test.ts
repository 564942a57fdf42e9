// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { Socket } from 'node:net';
import { it } from 'node:test';
import { diagnose } from '../../src/cli/doctor.ts';
import { readConfig } from '../../src/config.ts';
import { newMigratedDatabase } from '../support/postgres.ts';

/** Longer than two clocks may differ. */
const LATE_MS = 120_000;

it('`stoa doctor` compares the clocks when it asks PostgreSQL, however long the checks before took', async (t) => {
  const settings = { DATABASE_URL: await newMigratedDatabase() };
  const { now } = Date;
  const { write } = Socket.prototype;
  // As if the counts of the tables, which are asked for before the trail, took two minutes.
  let ahead = -LATE_MS;
  t.mock.method(Date, 'now', () => now() + ahead);
  t.mock.method(Socket.prototype, 'write', function (this: Socket, ...args: unknown[]) {
    if (String(args[0]).includes('audit_events')) ahead = 0;
    return Reflect.apply(write, this, args);
  });
  const findings = await diagnose(() => readConfig(settings));
  assert.equal(ahead, 0);
  assert.deepEqual(
    findings.filter(({ check }) => check === 'clock').map(({ state }) => state),
    ['ok'],
  );
});
