// Needs: processes.

import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type Account, call, newAccount, newItem, newName } from '../support/client.ts';
import { dearText, whileOthersAreAnswered } from '../support/dear-text.ts';
import { type Lifetime, lifetimeOfSuite } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { newPostgresPlace, newSqlitePlace, type Place } from '../support/place.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { until } from '../support/until.ts';
import { waitingIn } from '../support/waiting-words.ts';

const MARKS = '\u0301\u0316';

const ENGINES: readonly { name: string; newPlace: (t: Lifetime) => Promise<Place> }[] = [
  { name: 'SQLite', newPlace: newSqlitePlace },
  { name: 'PostgreSQL', newPlace: newPostgresPlace },
];

/** Selects a row when the words of the item are in the index. */
const indexedIn = (place: Place, id: number) =>
  `SELECT id FROM content WHERE id = ${id} AND id NOT IN (${waitingIn(place)})`;

for (const engine of ENGINES)
  describe(`Texts that are the most expensive to normalise, on ${engine.name}`, () => {
    const lifetime = lifetimeOfSuite();
    let place: Place;
    let service: ServiceProcess;
    let url = '';
    let author: Account;
    let other: Account;
    before(async () => {
      place = await engine.newPlace(lifetime);
      service = await startProcess(lifetime, { DATABASE_URL: place.url });
      ({ url } = service);
      [author, other] = [await newAccount(url), await newAccount(url)];
    });
    const untilIndexed = (place: Place, id: number) =>
      until(async () => (await place.sql(indexedIn(place, id))).length > 0, `item ${id} is in the index`);

    it('An item with the most expensive text is stored byte for byte and found while others are answered', async () => {
      const content = dearText('Walnut');
      await whileOthersAreAnswered(url, other, async () => {
        const { id } = await newItem(url, author.token, { content });
        await untilIndexed(place, id);
        assert.deepEqual(await search(url, 'walnut'), [id]);
        assert.equal((await call(url, 'GET', `/api/content/${id}`)).body.data.content, content);
      });
    });

    it('A change to the most expensive text is found while others are answered', async () => {
      const { id } = await newItem(url, author.token);
      await untilIndexed(place, id);
      await whileOthersAreAnswered(url, other, async () => {
        await change(url, author, id, { content: dearText('Pecan') });
        await untilIndexed(place, id);
        assert.deepEqual(await search(url, 'pecan'), [id]);
      });
    });

    it('The most expensive title, tags and keyword are found while others are answered', async () => {
      await whileOthersAreAnswered(url, other, async () => {
        const title = `peanut${MARKS.repeat(97)}`;
        const tags = Array.from({ length: 32 }, (_, index) => `${index}${MARKS.repeat(31)}`);
        const { id } = await newItem(url, author.token, { title, tags });
        // Marks have an order of their own, so a search for them ends where a run of 30 does.
        const beginning = title.slice(0, 'peanut'.length + 90);
        await untilIndexed(place, id);
        assert.deepEqual(await search(url, beginning), [id]);
        const tagged = await call(url, 'GET', `/api/content?${new URLSearchParams({ tag: tags[7] ?? '' })}`);
        assert.deepEqual(tagged.body.data.items[0]?.tags, tags);
      });
    });

    it('The most expensive names, addresses and passwords follow the rules while others are answered', async () => {
      const send = (path: string, body: object) => call(url, 'POST', path, { body });
      await whileOthersAreAnswered(url, other, async () => {
        const long = `a${MARKS.repeat(850)}`;
        const username = newName();
        const fine = { username, email: `${username}@example.org`, password: `pass${MARKS.repeat(100)}` };
        for (const field of ['username', 'email', 'password']) {
          const refused = await send('/api/auth/register', { ...fine, [field]: long });
          assertFailure(refused, 400, 'validation_failed', { field });
        }
        assert.equal((await send('/api/auth/register', fine)).status, 200);
        assert.equal((await send('/api/auth/login', fine)).status, 200);
        for (const wrong of [
          { ...fine, username: long },
          { ...fine, password: long },
        ])
          assertFailure(await send('/api/auth/login', wrong), 401, 'bad_credentials');
      });
    });

    it('The most expensive text is indexed after a kill while others are answered', async (t) => {
      const { id } = await newItem(url, author.token, { content: dearText('Chestnut') });
      await service.stop('SIGKILL');
      const next = await startProcess(t, { DATABASE_URL: place.url });
      await whileOthersAreAnswered(next.url, author, async () => {
        await untilIndexed(place, id);
        assert.deepEqual(await search(next.url, 'chestnut'), [id]);
      });
    });
  });

async function change(url: string, { token }: Account, id: number, body: object): Promise<void> {
  const { status } = await call(url, 'PUT', `/api/content/${id}`, { token, body });
  assert.equal(status, 200);
}

/** The ids of what a search finds. */
async function search(url: string, keyword: string): Promise<number[]> {
  const { body } = await call(url, 'GET', `/api/content?${new URLSearchParams({ keyword })}`);
  return body.data.items.map(({ id }: { id: number }) => id);
}
