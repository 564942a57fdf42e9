import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, call, newAccount, newItem } from '../support/client.ts';
import { type Lifetime, onOneEngine } from '../support/engines.ts';
import { longText } from '../support/long-text.ts';
import { scrape } from '../support/metrics.ts';
import { rawPost, sendRaw } from '../support/raw.ts';
import { describeInTurn, type InTurn } from '../support/suite.ts';
import { until } from '../support/until.ts';

/** Bytes of a text whose characters are many too. */
const LARGE = 128 * 1024;

/** Writes of which the first waits until the test lets it go on. */
function holdWrites(t: Lifetime, { beforeOperations }: InTurn, held: ReadonlySet<string>) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  // A service that is closed waits for its writes.
  t.after(() => release());
  const begun: string[] = [];
  beforeOperations((name) => {
    if (!held.has(name)) return undefined;
    begun.push(name);
    return begun.length === 1 ? released : undefined;
  });
  return { begun, release };
}

type Request = (method: string, path: string, body?: object) => Promise<Answer>;

interface Dear {
  /** The write of the store. */
  readonly operation: string;
  /** Returns the item of one request, which `create` makes. */
  readonly prepare?: (request: Request, create: (members?: object) => Promise<number>) => Promise<number>;
  readonly ask: (request: Request, id: number | undefined) => Promise<Answer>;
}

/** An item in the trash. */
const trashed: Dear['prepare'] = async (request, create) => {
  const id = await create({ content: longText('a', LARGE) });
  await request('DELETE', `/api/content/${id}`);
  return id;
};

/** All writes that take a turn, except changes of an item. */
const DEAR: readonly Dear[] = [
  {
    operation: 'content.create',
    ask: (request) => request('POST', '/api/content', { title: 'x', content: longText('x', LARGE) }),
  },
  {
    operation: 'bulk.change',
    ask: (request) => {
      const create = { action: 'create', item: { title: 'x', content: '' } };
      return request('POST', '/api/content/bulk', { operations: [create] });
    },
  },
  {
    operation: 'drafts.save',
    prepare: (_request, create) => create(),
    ask: (request, id) => request('PUT', `/api/content/${id}/draft`, { content: longText('x', LARGE) }),
  },
  {
    operation: 'drafts.publish',
    prepare: (_request, create) => create({ status: 'draft' }),
    ask: (request, id) => request('POST', `/api/content/${id}/publish`),
  },
  {
    operation: 'content.update',
    prepare: async (request, create) => {
      const id = await create();
      await request('PUT', `/api/content/${id}`, { title: 'second' });
      return id;
    },
    ask: (request, id) => request('POST', `/api/content/${id}/versions/1/restore`),
  },
  {
    operation: 'trash.restore',
    prepare: trashed,
    ask: (request, id) => request('POST', `/api/content/trash/${id}/restore`),
  },
  {
    operation: 'trash.purge',
    prepare: trashed,
    ask: (request, id) => request('DELETE', `/api/content/trash/${id}`),
  },
];

function requestBy(url: string, token: string): Request {
  return (method, path, body) => call(url, method, path, { token, ...(body && { body }) });
}

onOneEngine('Writes that cost much', (engine) => {
  const suite = (service: () => InTurn) => {
    for (const [what, body] of [
      ['with a large text', { content: longText('x', LARGE) }],
      ['of an item with a large text', { title: 'new' }],
    ] as const)
      it(`A change ${what} waits for the one before of the same account, and for no other account`, async (t) => {
        const { begun, release } = holdWrites(t, service(), new Set(['content.update']));
        const { url } = service();
        const [{ token }, other] = [await newAccount(url), await newAccount(url)];
        const content = longText('a', LARGE);
        const { id } = await newItem(url, token, { content });
        const { id: idOfOther } = await newItem(url, other.token, { content });
        const put = (by: string, item: number) =>
          call(url, 'PUT', `/api/content/${item}`, { token: by, body: { ...body } });

        const first = put(token, id);
        await until(() => begun.length === 1, 'the first change begins');
        const second = put(token, id);
        assert.equal((await put(other.token, idOfOther)).status, 200);
        const small = await newItem(url, token);
        const title = { title: 'of a small item' };
        assert.equal(
          (await call(url, 'PUT', `/api/content/${small.id}`, { token, body: title })).status,
          200,
        );
        assert.equal(begun.length, 3, 'the second large change of the account waits');
        release();
        assert.deepEqual([(await first).status, (await second).status], [200, 200]);
      });

    for (const { operation, prepare, ask } of DEAR)
      it(`A second ${operation} of an account waits for the first one, and one of another account does not`, async (t) => {
        const held = new Set<string>();
        const { begun, release } = holdWrites(t, service(), held);
        const { url } = service();
        const [{ token }, other] = [await newAccount(url), await newAccount(url)];
        const requests: (() => Promise<Answer>)[] = [];
        for (const by of [token, token, other.token]) {
          const request = requestBy(url, by);
          const id = await prepare?.(request, async (members = {}) => (await newItem(url, by, members)).id);
          requests.push(() => ask(request, id));
        }
        const [first, second, third] = requests;
        assert.ok(first && second && third);
        held.add(operation);

        const answers = [first()];
        await until(() => begun.length === 1, 'the first write begins');
        answers.push(second());
        const waiting = async () =>
          (await scrape(service())).value('stoa_admission_waiting', { kind: 'write' });
        await until(
          async () => begun.length === 2 || (await waiting()) === 1,
          'the second write waits or begins',
        );
        assert.equal(begun.length, 1);
        assert.equal((await third()).status, 200);
        release();
        assert.deepEqual(
          (await Promise.all(answers)).map(({ status }) => status),
          [200, 200],
        );
      });

    it('A large change whose client leaves while it waits is not made', async (t) => {
      const { begun, release } = holdWrites(t, service(), new Set(['content.update']));
      const { url } = service();
      const waiting = async () =>
        (await scrape(service())).value('stoa_admission_waiting', { kind: 'write' });
      const { token } = await newAccount(url);
      const { id } = await newItem(url, token, { content: longText('a', LARGE) });
      const path = `/api/content/${id}`;
      const first = call(url, 'PUT', path, { token, body: { title: 'first' } });
      await until(() => begun.length === 1, 'the first change begins');

      const body = JSON.stringify({ title: 'of who left' });
      const socket = sendRaw(t, url, `${rawPost(path, body.length, token).replace('POST', 'PUT')}${body}`);
      await until(async () => (await waiting()) === 1, 'the second change waits');
      socket.resetAndDestroy();
      await until(async () => (await waiting()) === 0, 'the service notices');
      release();
      assert.equal((await first).status, 200);
      const { version, title } = (await call(url, 'GET', path, { token })).body.data;
      assert.deepEqual([version, title], [2, 'first']);
    });
  };
  describeInTurn(engine, 'on one service', suite, { METRICS_PORT: '0' });
});
