import assert from 'node:assert/strict';
import { it } from 'node:test';
import {
  type CallInput,
  type Content,
  type ContentListItem,
  type ContentSelection,
  createClient,
  memoryTokens,
} from '../../client/src/index.ts';
import { newAccount, newItem } from '../support/client.ts';
import { onOneEngine } from '../support/engines.ts';
import { describeOnService } from '../support/suite.ts';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The value. `npm run check:types` is red where its type is not exactly the wanted one. */
function typed<Wanted>() {
  return <Given>(value: Given & (Same<Wanted, Given> extends true ? unknown : never)): Given => value;
}

onOneEngine('The types of the client', (engine) =>
  describeOnService(engine, 'of one service', (service) => {
    it('An item has all its members by its type unless `fields` or HTML was asked for, as it has in the answer', async () => {
      const { url } = service();
      const { token } = await newAccount(url);
      const { id, slug, title } = await newItem(url, token);
      const stoa = createClient({ url, tokens: memoryTokens() });
      const path = { id };

      const whole = await stoa.call('getContent', { path });
      assert.ok(whole.ok);
      assert.equal(typed<Content>()(whole.data).title, title);
      const json = await stoa.call('getContentBySlug', { path: { slug }, query: { format: 'json' } });
      assert.ok(json.ok);
      assert.equal(typed<Content>()(json.data).title, title);

      const some = await stoa.call('getContent', { path, query: { fields: 'id' } });
      assert.ok(some.ok);
      assert.deepEqual(typed<ContentSelection>()(some.data), { id });
      const perhaps: CallInput<'getContent'> = { path, query: { fields: 'id' } };
      const unknown = await stoa.call('getContent', perhaps);
      assert.ok(unknown.ok);
      assert.deepEqual(typed<ContentSelection>()(unknown.data), { id });

      const page = await stoa.call('getContent', { path, query: { format: 'html' } });
      assert.ok(page.ok);
      assert.equal(page.data.title, title);
      assert.match(page.data.html, /^<p>/);
      // @ts-expect-error: HTML is in the place of the text.
      assert.equal(page.data.content, undefined);
      const selected = await stoa.call('getContent', { path, query: { format: 'html', fields: 'content' } });
      assert.ok(selected.ok);
      assert.deepEqual(Object.keys(typed<ContentSelection>()(selected.data)), ['html']);
    });

    it('The items of a list and of a walk have all their members by their type unless `fields` was given', async () => {
      const { url } = service();
      const { id: author, token } = await newAccount(url);
      const { id, title } = await newItem(url, token);
      const stoa = createClient({ url, tokens: memoryTokens() });
      const query = { author };

      const list = await stoa.call('listContent', { query });
      assert.ok(list.ok);
      const items = typed<ContentListItem[]>()(list.data.items);
      assert.deepEqual(
        items.map((item) => item.title),
        [title],
      );
      assert.equal(list.data.total, 1);
      const some = await stoa.call('listContent', { query: { ...query, fields: 'id' } });
      assert.ok(some.ok);
      assert.deepEqual(typed<ContentSelection[]>()(some.data.items), [{ id }]);

      for await (const item of stoa.walk('listContent', { query }))
        assert.equal(typed<ContentListItem>()(item).title, title);
      for await (const item of stoa.walk('listContent', { query: { ...query, fields: 'id' } }))
        assert.deepEqual(typed<ContentSelection>()(item), { id });
    });

    it('The types refuse a parameter that an operation lacks, and the service does too', async () => {
      const { url } = service();
      const stoa = createClient({ url, tokens: memoryTokens() });
      // @ts-expect-error: a list has no HTML.
      const html = await stoa.call('listContent', { query: { format: 'html' } });
      // @ts-expect-error: `fields` has another name.
      const names = await stoa.call('listContent', { query: { members: 'id' } });
      // @ts-expect-error: tags have no `fields`.
      const tags = await stoa.call('listTags', { query: { fields: 'id' } });
      // @ts-expect-error: only a list with a cursor can be walked.
      stoa.walk('getMe');
      assert.deepEqual(
        [html, names, tags].map(({ status }) => status),
        [400, 400, 400],
      );
    });
  }),
);
