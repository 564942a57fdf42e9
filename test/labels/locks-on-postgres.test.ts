// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { countLabels } from '../../src/labels/count.ts';
import { renameStep } from '../../src/labels/rename-step.ts';
import { during, outcomeOf } from '../support/during.ts';
import { postgres } from '../support/engines.ts';
import { placeAt } from '../support/place.ts';
import { openStoreOn } from '../support/store.ts';

const ITEM = `INSERT INTO content (id, author_id, title, content, category, tags, version, created_at, updated_at)
  VALUES (1, 1, 'one', '', '', '["old"]', 1, 0, 0)`;

/** A store with one item, without jobs. */
async function start(t: TestContext) {
  const settings = await postgres.settings(t);
  const operationsUrl = new URL('../../src/operations.ts', import.meta.url).href;
  const store = await openStoreOn(t, readConfig(settings).database, { operationsUrl });
  const { sql } = placeAt(settings);
  await sql(
    `INSERT INTO users (id, username, username_key, email, email_key, password_hash, created_at)
      VALUES (1, 'a', 'a', 'a@example.org', 'a@example.org', 'x', 1)`,
    ITEM,
  );
  return { store, sql, url: settings.DATABASE_URL ?? '' };
}

it('Labels that two instances count at once are counted once', async (t) => {
  const { store, sql, url } = await start(t);
  const held = ['LOCK TABLE label_counts IN EXCLUSIVE MODE'];
  const count = () => outcomeOf(store.write(countLabels, null));
  assert.deepEqual(await during(url, held, 2, () => [count(), count()]), ['done', 'done']);
  assert.deepEqual(await sql(`SELECT name || ' ' || items AS counted FROM label_counts`), [
    { counted: 'old 1' },
  ]);
});

it('The renaming of a label in a draft waits for who saves that draft, and keeps what was saved', async (t) => {
  const { store, sql, url } = await start(t);
  await sql(
    `INSERT INTO content_drafts (content_id, version, over_version, written, saved_at, saved_by)
      VALUES (1, 1, 1, '{"tags":"[\\"old\\"]"}', 0, 1)`,
    `INSERT INTO label_renames (kind, from_name, to_name, started_at, round, part, after_id, last_id, in_round, items)
      VALUES ('tag', 'old', 'new', 0, 1, 'drafts', 0, 1, 0, 0)`,
  );
  const saved = JSON.stringify({ tags: '["old"]', title: 'saved meanwhile' });
  const saving = [
    'SELECT 1 FROM content WHERE id = 1 FOR UPDATE',
    `UPDATE content_drafts SET version = 2, written = '${saved}'`,
  ];
  const step = { kind: 'tag', place: '1 drafts 0', now: 0, pasts: {} } as const;
  const outcomes = await during(url, saving, 1, () => [outcomeOf(store.write(renameStep, step))]);
  assert.deepEqual(outcomes, ['done']);
  const [draft] = await sql('SELECT version, written FROM content_drafts');
  assert.deepEqual(
    [Number(draft?.version), JSON.parse(String(draft?.written))],
    [3, { tags: '["new"]', title: 'saved meanwhile' }],
  );
});
