import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { collidingTexts } from '../support/colliding-texts.ts';
import { onOneEngine } from '../support/engines.ts';
import { longText } from '../support/long-text.ts';
import { placeAt } from '../support/place.ts';
import { startHere } from '../support/service.ts';

const MIB = 1024 * 1024;
/** More changes of one account at once than wait for their deltas. */
const MANY = 12;
/** On a busy machine the first two may wait too long for a delta of the attacker. */
const SAVES = 6;

// The turns of the thread that makes deltas, which no database knows of.
onOneEngine('Deltas that take long', (engine) => {
  it('Earlier texts of others are kept as deltas while a member changes items whose deltas take too long', async (t) => {
    const settings = await engine.settings(t);
    const { url } = await startHere(t, settings);
    const [attacker, author] = [await newAccount(url), await newAccount(url)];
    const answerTo = (id: number, { token }: Account, body: object) =>
      call(url, 'PUT', `/api/content/${id}`, { token, body });
    const change = async (id: number, account: Account, body: object) => {
      const answer = await answerTo(id, account, body);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
    };
    const { base, text } = collidingTexts(MIB);
    const { id: first } = await newItem(url, attacker.token, { content: base });
    await change(first, attacker, { content: text });
    // The others are copies, because each request with a mebibyte costs much too.
    const { sql } = placeAt(settings);
    const columns = 'title, category, tags, version, content';
    await sql(
      `WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
        INSERT INTO content (author_id, ${columns}, created_at, updated_at)
        SELECT author_id, ${columns}, created_at, updated_at FROM content, n WHERE id = ${first}`,
      `INSERT INTO content_versions (content_id, ${columns}, changed_at, replaced_at, replaced_members, bytes)
        SELECT copy.id, kept.title, kept.category, kept.tags, kept.version, kept.content, changed_at, replaced_at,
          replaced_members, bytes
        FROM content_versions AS kept, content AS copy WHERE copy.id <> ${first}`,
    );
    const dear = (await sql('SELECT id FROM content')).map((row) => Number(row.id));
    const long = longText('a', 20_000);
    const { id } = await newItem(url, author.token, { content: long });
    await change(id, author, { content: `${long}!` });
    // Each keeps the text of its item before, and the delta of that text takes long.
    const attacks = dear.map((id) => answerTo(id, attacker, { title: 'attack' }));
    for (let save = 0; save < SAVES; save++) await change(id, author, { content: `${long}${save}` });
    // The attacker's own may be refused as too many that wait.
    for (const { status } of await Promise.all(attacks)) assert.ok([200, 503].includes(status), `${status}`);
    const kept = await sql(
      `SELECT version FROM content_versions WHERE content_id = ${id} AND delta IS NOT NULL`,
    );
    assert.ok(kept.length >= SAVES - 2, `${kept.length} of ${SAVES}`);
  });
});
