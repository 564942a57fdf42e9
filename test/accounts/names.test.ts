// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { freeNames } from '../../src/accounts/free-names.ts';
import { updateMe } from '../../src/accounts/update-me.ts';
import type { CallerKey } from '../../src/sessions/living-session.ts';
import type { Store } from '../../src/store/store.ts';
import { duringInTurn, outcomeOf } from '../support/during.ts';
import { execute, newMigratedDatabase } from '../support/postgres.ts';
import { ADA, newCaller, openStoreOn } from '../support/store.ts';

const ORIGIN = { address: '203.0.113.7', source: '203.0.113.7', requestId: 'r' };
const DAY = 24 * 60 * 60 * 1000;
const [NAME, CYRILLIC] = ['name', '\u0441\u043e\u0440\u0435'];

function person(username: string) {
  return { ...ADA, username, email: `${Buffer.from(username).toString('hex')}@example.org` };
}

const rename = (store: Store, caller: CallerKey, username: string) =>
  outcomeOf(store.write(updateMe, { caller, username, columns: {}, now: 1, origin: ORIGIN }));
const register = (store: Store, username: string) =>
  outcomeOf(store.write(createAccount, { ...person(username), email: `other-${person(username).email}` }));

/** Two instances on one database. */
async function opened(t: TestContext) {
  const url = await newMigratedDatabase();
  const open = () => openStoreOn(t, { kind: 'postgres', url, poolSize: 5 });
  return { url, one: await open(), other: await open() };
}

const names = async (url: string) =>
  (await execute<{ username: string }>(url, 'select username from users order by id')).map(
    ({ username }) => username,
  );

describe('A user name on two instances', { concurrency: true }, () => {
  it('A name that is just being given up is refused to a registration and to another account', async (t) => {
    const { url, one, other } = await opened(t);
    const [ada, bob] = [await newCaller(one, person(NAME)), await newCaller(one, person('bob'))];
    // The first has its new name already, and waits to reserve the old one.
    const outcomes = await duringInTurn(
      url,
      ['lock table reserved_names in share mode'],
      [() => rename(one, ada, 'ada'), () => register(other, NAME), () => rename(other, bob, NAME)],
    );
    assert.deepEqual(outcomes, ['done', 'taken', 'taken']);
    assert.deepEqual(await names(url), ['ada', 'bob']);
  });

  it('A free name that three ask for at once belongs to one of them', async (t) => {
    const { url, one, other } = await opened(t);
    const [ada, bob] = [await newCaller(one, person('ada')), await newCaller(one, person('bob'))];
    // Each has done all but the end when the next begins.
    const outcomes = await duringInTurn(
      url,
      ['lock table audit_events in share mode'],
      [
        () => rename(one, ada, NAME),
        () => rename(other, bob, NAME.toUpperCase()),
        () => register(other, NAME),
      ],
    );
    assert.deepEqual(outcomes, ['done', 'taken', 'taken']);
    assert.deepEqual(await names(url), [NAME, 'bob']);
  });

  it('A reserved name that its owner takes back is refused to a registration meanwhile', async (t) => {
    const { url, one, other } = await opened(t);
    const ada = await newCaller(one, person(NAME));
    assert.equal(await rename(one, ada, 'ada'), 'done');
    const outcomes = await duringInTurn(
      url,
      ['lock table audit_events in share mode'],
      [() => rename(one, ada, NAME), () => register(other, NAME)],
    );
    assert.deepEqual(outcomes, ['done', 'taken']);
    assert.deepEqual(await execute(url, 'select username_key from reserved_names'), [
      { username_key: 'ada' },
    ]);
  });

  it('A name that its owner takes back while its reservation expires keeps its look-alikes reserved', async (t) => {
    const { url, one, other } = await opened(t);
    const ada = await newCaller(one, person(CYRILLIC));
    assert.equal(await rename(one, ada, 'ada'), 'done');
    // The first has its name back but for the commit. The second would free it by what it saw before.
    const outcomes = await duringInTurn(
      url,
      ['lock table audit_events in share mode'],
      [() => rename(one, ada, CYRILLIC), () => outcomeOf(other.write(freeNames, { now: 31 * DAY }))],
    );
    assert.deepEqual(outcomes, ['done', 'done']);
    assert.equal(await register(other, 'cope'), 'taken');
  });
});
