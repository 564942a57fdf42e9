import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { createContent } from '../../src/content/create.ts';
import { openStore } from '../../src/open-store.ts';
import { namingJob } from '../../src/slugs/name-items.ts';
import { BARE_ITEM } from '../support/bare-item.ts';
import { PATIENCE } from '../support/engines.ts';
import { PLACES } from '../support/place.ts';
import { newCaller } from '../support/store.ts';

for (const { name, newPlace } of PLACES)
  it(`Items that are older than slugs are named round by round, with a number where the name is taken, on ${name}`, async (t) => {
    const place = await newPlace(t);
    const { database } = readConfig({ DATABASE_URL: place.url });
    const store = await openStore(database, { notice: () => {}, patience: PATIENCE });
    t.after(() => store.close());
    const item = { title: 'Old', content: '', ...BARE_ITEM, ...(await newCaller(store)), now: 0 };
    for (let count = 0; count < 60; count++) await store.write(createContent, item);
    await place.sql('UPDATE content SET slug = NULL WHERE id > 3');
    const slugs = async () =>
      (await place.sql('SELECT slug FROM content ORDER BY id')).map(({ slug }) => slug);
    const { job, state } = namingJob(store);
    assert.equal(await job.run(t.signal), true, 'more are left after the first round');
    assert.equal(state(), 'naming');
    assert.ok((await slugs()).includes(null));
    while (await job.run(t.signal));
    assert.equal(state(), 'ok');
    assert.deepEqual(
      await slugs(),
      Array.from({ length: 60 }, (_, index) => (index === 0 ? 'old' : `old-${index + 1}`)),
    );
  });
