import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setRole } from '../../src/accounts/administer.ts';
import type { FeedChange } from '../../src/services/changes/read.ts';
import { listen } from '../content/black-box/event-stream.ts';
import { requestsTo } from '../content/black-box/requests.ts';
import { type Account, newAccount, newName } from '../support/client.ts';
import { onEveryEngine } from '../support/engines.ts';
import { feedUntil } from '../support/feed.ts';
import { newWithRole } from '../support/people.ts';
import type { RunningService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { until } from '../support/until.ts';

onEveryEngine('Who hears of what', (engine) => {
  describeOnService(engine, 'on one service', (service) => {
    const { done, member, editor, admin, write } = requestsTo(service);

    it('A change of a hidden item is told to its author, editors and admins, and to nobody else', async (t) => {
      const author = await member();
      const [own, ed, boss, other] = await listenAll(t, service(), [
        author,
        await editor(),
        await admin(),
        await member(),
      ]);
      const { id } = await write(author);
      await done(author, 'DELETE', `/api/content/${id}`);
      await done(author, 'DELETE', `/api/content/trash/${id}`);
      const fence = await write(author);
      for (const listener of [own, ed, boss, other]) await listener?.heard('content.created', fence.id);
      const seen = ['content.created', 'content.trashed'];
      assert.deepEqual(other?.namesOf(id), seen);
      for (const listener of [own, ed, boss])
        assert.deepEqual(listener?.namesOf(id), [...seen, 'content.purged']);
    });

    it('Who else changed an item is told to those who may read its versions only', async (t) => {
      const [author, one] = [await member(), await editor()];
      const [own, other] = await listenAll(t, service(), [author, await member()]);
      const { id } = await write(author);
      await done(one, 'PUT', `/api/content/${id}`, { title: 'by the editor' });
      const whoChanged = async (listener: typeof own) => {
        await listener?.heard('content.updated', id);
        const ofItem = listener?.events.filter(
          ({ name, data }) => name.startsWith('content.') && data.id === id,
        );
        return ofItem?.map(({ data }) => ('by' in data ? data.by : undefined));
      };
      assert.deepEqual(await whoChanged(own), [{ id: author.id }, { id: one.id }]);
      assert.deepEqual(await whoChanged(other), [{ id: author.id }, undefined]);
    });

    it('An account that becomes an editor hears what editors hear, until it is none any more', async (t) => {
      const [author, changing] = [await member(), await member()];
      const [listener, own] = await listenAll(t, service(), [changing, author]);
      const hears = async () => {
        const { id } = await write(author);
        await done(author, 'DELETE', `/api/content/${id}`);
        await done(author, 'DELETE', `/api/content/trash/${id}`);
        const fence = await write(author);
        for (const each of [listener, own]) await each?.heard('content.created', fence.id);
        return listener?.namesOf(id).includes('content.purged') ?? false;
      };
      assert.equal(await hears(), false);
      const account = changing.username;
      await service().store.write(setRole, { account, role: 'editor', now: Date.now() });
      await until(hears, 'the account hears it');
      await service().store.write(setRole, { account, role: 'member', now: Date.now() });
      await until(async () => !(await hears()), 'the account hears it no more');
    });

    it('A new account is told to every account, without its address', async (t) => {
      const [listener] = await listenAll(t, service(), [await member()]);
      const { id, username } = await newAccount(service().url);
      const mine = () =>
        listener?.events.filter(({ name, data }) => name === 'user.created' && data.id === id);
      await until(() => mine()?.length === 1, 'the listener hears of the account');
      const [event] = mine() ?? [];
      assert.deepEqual(Object.keys(event?.data ?? {}).sort(), ['at', 'event', 'id']);
      assert.ok(!JSON.stringify(listener?.events).includes(username));
    });
  });

  describeOnService(
    engine,
    'where only admins list the users',
    (service) => {
      it('A change of an account is told to admins and to itself, and to nobody else', async (t) => {
        const account = await newAccount(service().url);
        const isNew = ({ account_id, event }: FeedChange) =>
          account_id === account.id && event === 'user.created';
        await feedUntil(service().store, 0, isNew);
        const [own, boss, ed] = await listenAll(t, service(), [
          account,
          await newWithRole(service(), 'admin'),
          await newWithRole(service(), 'editor'),
        ]);
        const { done, write } = requestsTo(service);
        await done(account, 'PUT', '/api/users/me', { display_name: newName() });
        const other = await newAccount(service().url);
        const fence = await write(other);
        for (const listener of [own, boss, ed]) await listener?.heard('content.created', fence.id);
        const told = (listener: typeof own) =>
          listener?.events
            .filter(({ name }) => name.startsWith('user.'))
            .map(({ name, data }) => `${name} ${data.id}`)
            .filter((each) => each.endsWith(` ${account.id}`) || each.endsWith(` ${other.id}`));
        assert.deepEqual(told(own), [`user.updated ${account.id}`]);
        assert.deepEqual(told(boss), [`user.updated ${account.id}`, `user.created ${other.id}`]);
        assert.deepEqual(told(ed), []);
      });
    },
    { USERS_LIST: 'admins' },
  );
});

function listenAll(
  t: { after: (work: () => void) => void },
  { url }: RunningService,
  accounts: readonly Account[],
) {
  return Promise.all(
    accounts.map(async (account) => {
      const listener = await listen(url, account);
      t.after(listener.close);
      return listener;
    }),
  );
}
