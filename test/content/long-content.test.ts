import assert from 'node:assert/strict';
import { it } from 'node:test';
import { call, newAccount, newItem } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { startService } from '../support/service.ts';

const MIB = 1024 * 1024;
const PER_PAGE = 20;
const SHARE = Math.floor(MIB / 4 / PER_PAGE);
/** Four bytes of UTF-8, two units of UTF-16: cut anywhere but between two of them it is damaged. */
const WIDE = '\u{1F3DB}';

onEveryEngine('A list of content', (engine) => {
  it('A list has whole items up to their share of 256 KiB, and the beginning of longer ones', async (t) => {
    const { url } = await startService(t, engine);
    const { token } = await newAccount(url);
    const members = { tags: ['t'], category: 'c' };
    const whole = await newItem(url, token, { ...members, content: 'x'.repeat(SHARE) });
    const long = await newItem(url, token, { ...members, content: `${'x'.repeat(SHARE)}y` });
    const wide = await newItem(url, token, { ...members, content: WIDE.repeat(MIB / 4) });
    const small = await newItem(url, token, members);

    for (const filter of ['', '&tag=t', '&category=c&tag=t', '&keyword=title']) {
      const { body } = await call(url, 'GET', `/api/content?per_page=${PER_PAGE}${filter}`);
      const { items, ...page } = body.data;
      assert.deepEqual(page, { total: 4, page: 1, per_page: PER_PAGE }, filter);
      assert.deepEqual(items, [
        whole,
        { ...long, content: 'x'.repeat(1_000), content_truncated: true },
        { ...wide, content: WIDE.repeat(1_000), content_truncated: true },
        small,
      ]);
    }
    for (const item of [whole, long, wide, small]) {
      const { body } = await call(url, 'GET', `/api/content/${item.id}`);
      assert.deepEqual(body.data, item);
    }
    const alone = await call(url, 'GET', '/api/content?per_page=1&page=3');
    assert.deepEqual(alone.body.data.items, [wide], 'an item alone on its page is whole, however long');
  });
});
