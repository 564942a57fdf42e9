import assert from 'node:assert/strict';
import { it } from 'node:test';
import { IN_ALL } from '../../src/labels/rename.ts';
import { keyOf } from '../../src/services/limits/shared.ts';
import { countMistake } from '../../src/services/limits/wrong-passwords.ts';
import { requestsTo } from '../content/black-box/requests.ts';
import { newWord } from '../content/black-box/seen.ts';
import { onEveryEngine } from '../support/engines.ts';
import { assertFailure } from '../support/expect.ts';
import { startFleet } from '../support/fleet.ts';
import { until } from '../support/until.ts';

const EVERY_MS = 18_000;
const IN_AN_HOUR = 200;

onEveryEngine('The limit of renaming labels', (engine) =>
  it('Editors of all instances share 200 renamings an hour: one more is refused with its time, and changes nothing', async (t) => {
    const fleet = await startFleet(t, engine);
    const { ask, done, write, editor, member, admin } = requestsTo(() => fleet.instance(0));
    const other = requestsTo(() => fleet.instance(1));
    const [one, another, author, boss] = [await editor(), await editor(), await member(), await admin()];
    const [old, kept, wanted] = [newWord(), newWord(), newWord()];
    const item = await write(author, { tags: [old], category: old });
    const of = (kind: string, name = old) => `/api/content/${kind}/${name}`;

    // One is left.
    const spent = { everyMs: (IN_AN_HOUR - 1) * EVERY_MS, withinMs: IN_AN_HOUR * EVERY_MS };
    const charge = { key: keyOf('label_renames', IN_ALL), ...spent };
    await fleet.instance(0).store.write(countMistake, { charges: [charge], now: fleet.now() });
    // What is refused for another reason takes none.
    assertFailure(await ask(author, 'PUT', of('tags'), { name: kept }), 403, 'forbidden');
    assertFailure(await ask(one, 'PUT', of('tags'), { name: old }), 400, 'validation_failed');
    await done(one, 'PUT', of('tags'), { name: kept });
    await until(async () => (await done(one, 'GET', of('tags'))).ended_at !== null, 'the renaming ends');

    const state = async () => [
      await done(author, 'GET', `/api/content/${item.id}`),
      await done(one, 'GET', of('tags')),
      (await done(boss, 'GET', '/api/audit?event=label_rename_started')).total,
    ];
    const before = await state();
    assert.deepEqual([before[0].tags, before[0].category, before[2]], [[kept], old, 1]);
    for (const [who, path] of [
      [one, of('tags', kept)],
      [another, of('categories')],
    ] as const) {
      const refused = await other.ask(who, 'PUT', path, { name: wanted });
      assertFailure(refused, 429, 'too_many_requests');
      assert.equal(refused.headers.get('retry-after'), '18');
      assertFailure(await ask(who, 'GET', path), 404, 'not_found');
    }
    assert.deepEqual(await state(), before);

    fleet.passTime(EVERY_MS);
    await done(another, 'PUT', of('categories'), { name: wanted });
    await until(
      async () => (await done(one, 'GET', of('categories'))).ended_at !== null,
      'the renaming ends',
    );
    assert.equal((await done(author, 'GET', `/api/content/${item.id}`)).category, wanted);
    assertFailure(await ask(one, 'PUT', of('tags', kept), { name: wanted }), 429, 'too_many_requests');
  }),
);
