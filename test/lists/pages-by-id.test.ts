// Needs: PostgreSQL.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { listContent } from '../../src/lists/list.ts';
import { walkContent } from '../../src/lists/walk.ts';
import { newMigratedPlace, newPostgresPlace } from '../support/place.ts';
import { plansOn } from '../support/plans.ts';
import { openStoreOn } from '../support/store.ts';

const HIDDEN = 20_000;
/** Items for members only, and then those for everybody. */
const SHOWN = { few: [100, 100], many: [10_000, 10_000], 'mostly for members': [2_000, 200] } as const;
const ALL = { keyword: '', category: '', per_page: 20 };

for (const [amount, [members, everybody]] of Object.entries(SHOWN))
  it(`A page by id on PostgreSQL passes over no items that its reader may not see (visible: ${amount})`, async (t) => {
    const place = await newMigratedPlace(t, newPostgresPlace);
    await openStoreOn(t, readConfig({ DATABASE_URL: place.url }).database);
    const insert = (count: number, visible: 0 | 1, visibility: string) =>
      `INSERT INTO content (author_id, title, content, category, tags, version, created_at, updated_at, visible, trashed_at, visibility)
        SELECT 1, 'Title ' || n, repeat('word ', 100), '', '[]', 1, n, n, ${visible}, ${visible === 1 ? 'NULL' : 'n'},
          '${visibility}' FROM generate_series(1, ${count}) AS n`;
    await place.sql(
      `INSERT INTO users (username, username_key, email, email_key, password_hash, created_at)
        VALUES ('a', 'a', 'a@example.org', 'a@example.org', 'x', 1)`,
      insert(HIDDEN, 0, 'public'),
      insert(members, 1, 'members'),
      insert(everybody, 1, 'public'),
      'ANALYZE content',
    );
    const pageOf = await plansOn(t, place.url, listContent);
    const walkOf = await plansOn(t, place.url, walkContent);
    for (const reader of ['account', 'stranger'] as const) {
      const plans = [await pageOf({ ...ALL, reader, page: 1 }), await walkOf({ ...ALL, reader, after: 0 })];
      const index = reader === 'account' ? 'content_visible' : 'content_public';
      for (const plan of plans)
        assert.match(plan.join('\n'), new RegExp(`Index Scan using ${index} on content`));
      // What is passed over is a filter of the plan.
      assert.doesNotMatch(plans.flat().join('\n'), /Filter:/, reader);
    }
  });
