import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { collidingTexts } from '../support/colliding-texts.ts';
import { longText } from '../support/long-text.ts';
import { PLACES } from '../support/place.ts';
import { startHere } from '../support/service.ts';

const MIB = 1024 * 1024;
/** More changes of one account at once than wait for their deltas. */
const MANY = 12;
/** On a busy machine the first two may wait too long for a delta of the attacker. */
const SAVES = 6;

for (const { name, newPlace } of PLACES)
  describe(`Deltas that take long, on ${name}`, { concurrency: true }, () => {
    it('Earlier texts of others are kept as deltas while a member changes items whose deltas take too long', async (t) => {
      const place = await newPlace(t);
      const { url } = await startHere(t, { DATABASE_URL: place.url });
      const [attacker, author] = [await newAccount(url), await newAccount(url)];
      const answerTo = (id: number, { token }: Account, body: object) =>
        call(url, 'PUT', `/api/content/${id}`, { token, body });
      const change = async (id: number, account: Account, body: object) => {
        const answer = await answerTo(id, account, body);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
      };
      const { base, text } = collidingTexts(MIB);
      const dear = [];
      for (let item = 0; item < MANY; item++) {
        const { id } = await newItem(url, attacker.token, { content: base });
        await change(id, attacker, { content: text });
        dear.push(id);
      }
      const long = longText('a', 20_000);
      const { id } = await newItem(url, author.token, { content: long });
      await change(id, author, { content: `${long}!` });
      // Each keeps the text of its item before, and the delta of that text takes long.
      const attacks = dear.map((id) => answerTo(id, attacker, { title: 'attack' }));
      for (let save = 0; save < SAVES; save++) await change(id, author, { content: `${long}${save}` });
      // The attacker's own may be refused as too many that wait.
      for (const { status } of await Promise.all(attacks))
        assert.ok([200, 503].includes(status), `${status}`);
      const kept = await place.sql(
        `SELECT version FROM content_versions WHERE content_id = ${id} AND delta IS NOT NULL`,
      );
      assert.ok(kept.length >= SAVES - 2, `${kept.length} of ${SAVES}`);
    });
  });
