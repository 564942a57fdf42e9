import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createAccount } from '../../src/accounts/create.ts';
import { Failure } from '../../src/domain/failure.ts';
import { onEveryEngine } from '../support/engines.ts';
import {
  addSlowly,
  appendToNote,
  countNotes,
  insertAndFail,
  insertAndReadNote,
  insertNote,
  readNote,
  readNoteLong,
} from '../support/operations.ts';
import { ADA, newDatabase, openStoreOn, storeOfSuite, WITH_TEST_OPERATIONS } from '../support/store.ts';

onEveryEngine('Writes', (engine) => {
  const shared = storeOfSuite(engine, WITH_TEST_OPERATIONS);

  it('A write is seen by every read that begins after it resolved, short or long', async () => {
    const store = shared();
    for (let round = 0; round < 50; round++) {
      const name = `seen${round}`;
      await store.write(insertNote, name);
      const seen = await Promise.all([store.read(readNote, name), store.read(readNoteLong, name)]);
      assert.deepEqual(seen, ['0', '0']);
    }
  });

  it('A write is seen by another store on the same database', async (t) => {
    const database = await newDatabase(t, engine);
    const [one, other] = [
      await openStoreOn(t, database, WITH_TEST_OPERATIONS),
      await openStoreOn(t, database, WITH_TEST_OPERATIONS),
    ];
    await one.write(insertNote, 'note');
    assert.equal(await other.read(readNote, 'note'), '0');
    await other.write(appendToNote, { name: 'note', text: '1' });
    assert.equal(await one.read(readNote, 'note'), '01');
  });

  it('A write reads what it wrote itself', async () => {
    const store = shared();
    assert.equal(await store.write(insertAndReadNote, 'itself'), '0');
  });

  for (const how of ['failure', 'fault', 'statement'] as const) {
    it(`A write that fails (${how}) changes nothing, and its neighbours are stored`, async () => {
      const store = shared();
      const calls = Array.from({ length: 60 }, (_, index) =>
        index % 3 === 1
          ? store.write(insertAndFail, { name: `${how} failed${index}`, how })
          : store.write(insertNote, `${how} kept${index}`),
      );
      const settled = await Promise.allSettled(calls);
      const outcomes = settled.map(({ status }) => status === 'fulfilled');
      assert.deepEqual(
        outcomes,
        calls.map((_, index) => index % 3 !== 1),
      );
      assert.equal(await store.read(countNotes, `${how} kept`), 40);
      assert.equal(await store.read(countNotes, `${how} failed`), 0);
    });
  }

  it('A write that fails as a Failure arrives as that Failure, and another error as no Failure', async () => {
    const store = shared();
    const refused = store.write(insertAndFail, { name: 'a', how: 'failure' });
    await assert.rejects(refused, { name: 'Failure', code: 403, message: 'The test refuses.' });
    const fault = store.write(insertAndFail, { name: 'a', how: 'fault' });
    await assert.rejects(fault, (error) => error instanceof Error && !(error instanceof Failure));
  });

  it('A write that breaks a unique constraint fails with the field of the feature', async () => {
    const store = shared();
    await store.write(createAccount, ADA);
    const sameName = store.write(createAccount, { ...ADA, username: 'ADA', email: 'other@example.org' });
    await assert.rejects(
      sameName,
      ({ data }: Failure) => data.error === 'taken' && data.fields?.[0]?.field === 'username',
    );
    const sameEmail = store.write(createAccount, { ...ADA, username: 'other', email: 'ADA@example.org' });
    await assert.rejects(
      sameEmail,
      ({ data }: Failure) => data.error === 'taken' && data.fields?.[0]?.field === 'email',
    );
  });

  it('A write on a row that others write at once loses none of their changes', async (t) => {
    const database = await newDatabase(t, engine);
    const stores = [
      await openStoreOn(t, database, WITH_TEST_OPERATIONS),
      await openStoreOn(t, database, WITH_TEST_OPERATIONS),
    ];
    await stores[0]?.write(insertNote, 'counter');
    const calls = Array.from({ length: 20 }, () => stores.map((store) => store.write(addSlowly, 'counter')));
    const seen = await Promise.all(calls.flat());
    assert.equal(await stores[0]?.read(readNote, 'counter'), '40');
    assert.equal(new Set(seen).size, 40);
  });

  it('A write that begins after another resolved comes after it', async () => {
    const store = shared();
    await store.write(insertNote, 'order');
    for (const text of ['a', 'b', 'c', 'd']) await store.write(appendToNote, { name: 'order', text });
    assert.equal(await store.read(readNote, 'order'), '0abcd');
  });

  it('A write under way when the store closes is finished', async (t) => {
    const database = await newDatabase(t, engine);
    const store = await openStoreOn(t, database, WITH_TEST_OPERATIONS);
    const writes = Array.from({ length: 100 }, (_, index) => store.write(insertNote, `note${index}`));
    const [settled] = await Promise.all([Promise.allSettled(writes), store.close()]);
    const done = settled.filter(({ status }) => status === 'fulfilled').length;
    assert.equal(done, 100);
    const again = await openStoreOn(t, database, WITH_TEST_OPERATIONS);
    assert.equal(await again.read(countNotes, 'note'), 100);
  });
});
