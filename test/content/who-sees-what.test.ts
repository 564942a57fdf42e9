import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { registeredRoutes } from '../support/declared.ts';
import { type Lifetime, onEveryEngine } from '../support/engines.ts';
import type { RunningService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { type Listener, listen } from './black-box/event-stream.ts';
import { type Caller, requestsTo } from './black-box/requests.ts';
import { newWord } from './black-box/seen.ts';

/** With them a service has all that it may have. */
const SETTINGS = { PUBLIC_URL: 'https://api.example.org', CONTENT_URL: 'https://example.org/posts/{id}' };
const DOCUMENT = readFileSync(new URL('../../docs/who-sees-what.md', import.meta.url), 'utf8');
/**
 * Creating an item and a preview are about none that there is, and renaming a label about no single one
 * (test/http/access.test.ts).
 */
const ABOUT_NO_ITEM = [
  'POST /api/content',
  'POST /api/content/preview',
  ...['tags', 'categories'].flatMap((kind) => [
    `PUT /api/content/${kind}/{name}`,
    `GET /api/content/${kind}/{name}`,
  ]),
];
/** Paths that show accounts, webhooks and events of the audit trail, and no item. */
const OF_NO_CONTENT = [
  ...['', '/{id}', '/{id}/sessions', '/{id}/tokens', '/{id}/second-factors'].map(
    (rest) => `/api/users${rest}`,
  ),
  ...['', '/{id}', '/{id}/secret', '/{id}/test', '/{id}/deliveries'].map((rest) => `/api/webhooks${rest}`),
  ...['/api/webhooks/{id}/deliveries/{delivery_id}/redeliver', '/api/invitations', '/api/audit'],
];
const STATES = ['published', 'draft', 'with draft', 'for members', 'in the trash', 'purged'] as const;
type State = (typeof STATES)[number];
const PERSONS = ['stranger', 'another', 'author', 'editor', 'admin'] as const;

interface Table {
  readonly requests: readonly string[];
  readonly cells: ReadonlyMap<string, string>;
}

const TABLES = tablesOf(DOCUMENT);

it('The page of who sees what has a table for every request that could show an item, also where the document has it not', async () => {
  const told = new Set(TABLES.flatMap(({ requests }) => requests.map((each) => each.replace(/\?.*/, ''))));
  const routes = (await registeredRoutes(SETTINGS)).map(({ method, url, shows }) => {
    const path = url.replaceAll(/:(\w+)/g, '{$1}');
    const showsRows = shows !== 'own' && shows !== 'nothing' && !OF_NO_CONTENT.includes(path);
    return { request: `${method} ${path}`, isAbout: showsRows || path.startsWith('/api/content') };
  });
  const about = routes.filter(({ isAbout }) => isAbout).map(({ request }) => request);
  assert.ok(about.length >= 30);
  assert.deepEqual(
    about.filter((each) => !told.has(each) && !ABOUT_NO_ITEM.includes(each)),
    [],
  );
  for (const { cells } of TABLES) assert.equal(cells.size, STATES.length * PERSONS.length);
});

onEveryEngine('Who sees what', (engine) => {
  const onOneService = (service: () => RunningService) => {
    const { ask, done, member, editor, admin, write } = requestsTo(service);
    type Author = Awaited<ReturnType<typeof member>>;
    type Item = { readonly id: number; readonly slug: string; readonly word: string };

    async function newItem(author: Author, state: State, word = newWord()): Promise<Item> {
      const { id, slug } = await write(author, {
        ...{ title: word, content: word, category: word, tags: [word], language: languageOf(word) },
        ...(state === 'draft' && { status: 'draft' }),
        ...(state === 'for members' && { visibility: 'members' }),
      });
      if (state === 'with draft')
        await done(author, 'PUT', `/api/content/${id}/draft`, { title: draftOf(word) });
      if (state === 'in the trash' || state === 'purged') await done(author, 'DELETE', `/api/content/${id}`);
      if (state === 'purged') await done(author, 'DELETE', `/api/content/trash/${id}`);
      return { id, slug, word };
    }

    /** An item in each state, in the order of the states. */
    const newItems = (author: Author, wordOf: (at: number) => string) =>
      Promise.all(STATES.map((state, at) => newItem(author, state, wordOf(at))));

    const newPeople = async () => ({
      ...{ stranger: undefined, another: await member(), author: await member() },
      ...{ editor: await editor(), admin: await admin() },
    });
    type People = Awaited<ReturnType<typeof newPeople>>;
    let people: ReturnType<typeof newPeople> | undefined;
    const commonWord = newWord();
    let shown: Promise<Item[]> | undefined;
    /** Items of one word, which no request changes. */
    const shownItems = ({ author }: People) => {
      shown ??= newItems(author, () => commonWord);
      return shown;
    };

    /** For each state a status, or whether somebody is told of an item that it comes into the state. */
    async function rowsOfEvents(t: Lifetime, { stranger: _, ...others }: People): Promise<RowOf> {
      const listeners = new Map<Caller, Listener>();
      for (const who of Object.values(others)) {
        const listener = await listen(service().url, who);
        t.after(() => listener.close());
        listeners.set(who, listener);
      }
      const items = await newItems(others.author, newWord);
      const fence = await write(others.author);
      return async (who) => {
        const listener = listeners.get(who);
        if (!listener) return inEachState((await ask(who, 'GET', '/api/events')).status);
        await listener.heard('content.created', fence.id);
        return STATES.map((state, at) =>
          yesOrNo(listener.namesOf(items[at]?.id ?? 0).length === STEPS[state]),
        );
      };
    }

    /** For each state a status, or whether a feed has the item. */
    async function rowsOfFeed(path: string, { author }: People): Promise<RowOf> {
      // A feed shows the newest, and no more than some.
      const items = await newItems(author, newWord);
      return async (who) => {
        const headers = who && { authorization: `Bearer ${who.token}` };
        const response = await fetch(service().url + path.replace('{id}', '1'), { headers: headers ?? {} });
        const text = await response.text();
        if (response.status !== 200) return inEachState(response.status);
        return items.map(({ id, word }) => {
          assert.ok(!text.includes(draftOf(word)));
          return yesOrNo(new RegExp(`/posts/${id}\\b`).test(text));
        });
      };
    }

    /** For each state a status, or whether a list has the item, the same by each query. */
    async function rowsOfList(path: string, everyone: People): Promise<RowOf> {
      const isOfLabels = /tags|categories/.test(path);
      const word = isOfLabels ? newWord() : commonWord;
      // Each label is of one item. The trash shows the newest first, and no more than some.
      const items = await (isOfLabels || path.endsWith('trash')
        ? newItems(everyone.author, (at) => `${word}x${at}`)
        : shownItems(everyone));
      // A search knows an item a moment after it was written.
      if (path === '/api/content')
        await until(
          async () => (await done(everyone.admin, 'GET', `/api/content?keyword=${word}`)).total === 3,
          'the items are found',
        );
      return async (who) => {
        const rows = new Map<string, string[]>();
        for (const query of FOUND_BY[path]?.(word) ?? []) {
          const { status, body } = await ask(who, 'GET', `${path.replace(/\?.*/, '')}?${query}`);
          if (status !== 200) return inEachState(status);
          const listed: readonly Partial<Item & { name: string }>[] = body.data.items;
          const row = items.map(({ id, word: own }) =>
            yesOrNo(listed.some((each) => each.id === id || each.name === own)),
          );
          if (body.data.total !== undefined && query.includes(word))
            assert.equal(body.data.total, row.filter((each) => each === 'yes').length, `${path}?${query}`);
          rows.set(query, row);
        }
        const [first = []] = rows.values();
        for (const [query, row] of rows) assert.deepEqual(row, first, `${path}?${query}`);
        return first;
      };
    }

    /** For each state the status of a request about one item. */
    async function rowsOfItem(request: string, everyone: People, { cells }: Table): Promise<RowOf> {
      const [method = '', path = ''] = request.split(' ');
      const mayChange = (state: State) =>
        method !== 'GET' && PERSONS.some((person) => cells.get(`${person} ${state}`) === '200');
      const items: (Item | undefined)[] = [...(await shownItems(everyone))];
      for (const [at, state] of STATES.entries()) if (mayChange(state)) items[at] = undefined;
      return async (who) => {
        const row: string[] = [];
        for (const [at, state] of STATES.entries()) {
          const item = items[at] ?? (await newItem(everyone.author, state));
          const concrete = path
            .replace('{id}', String(item.id))
            .replace('{slug}', encodeURIComponent(item.slug))
            .replace('{version}', '1');
          const { status, body } = await ask(who, method, concrete, BODIES[request]?.(item.id));
          if (request === 'GET /api/content/{id}' && status === 200) assert.equal(body.data.title, item.word);
          const isChanged = status === 200 && mayChange(state) && !KEEPING_STATE.includes(request);
          items[at] = isChanged ? undefined : item;
          row.push(String(status));
        }
        return row;
      };
    }

    // One after another, because a feed and the trash show no more than some.
    describe('one after another', { concurrency: 1 }, () => {
      for (const table of TABLES)
        for (const request of table.requests)
          it(`What each person gets for ${request} is what the page says`, async (t) => {
            people ??= newPeople();
            const everyone = await people;
            const path = request.replace('GET ', '');
            let rows: Promise<RowOf>;
            if (path === '/api/events') rows = rowsOfEvents(t, everyone);
            else if (path.startsWith('/api/feeds/')) rows = rowsOfFeed(path, everyone);
            else if (FOUND_BY[path]) rows = rowsOfList(path, everyone);
            else rows = rowsOfItem(request, everyone, table);
            const rowOf = await rows;
            const answers = new Map<string, string>();
            for (const person of PERSONS)
              for (const [at, answer] of (await rowOf(everyone[person])).entries())
                answers.set(`${person} ${STATES[at]}`, answer);
            assert.deepEqual(answers, table.cells);
          });
    });
  };
  describeOnService(engine, 'on one service', onOneService, SETTINGS);
});

/** What a person gets for an item in each state, in the order of the states. */
type RowOf = (who: Caller) => Promise<readonly string[]>;

const inEachState = (status: number) => STATES.map(() => String(status));
const yesOrNo = (isThere: boolean) => (isThere ? 'yes' : 'no');

/** The title of the draft beside an item. */
const draftOf = (word: string) => `${word} changed`;

/** The events of an item that somebody hears who hears of each step into that state. */
const STEPS: Record<State, number> = {
  ...{ published: 1, draft: 1, 'with draft': 2, 'for members': 1 },
  ...{ 'in the trash': 2, purged: 3 },
};

/** A tag for private use, whose parts have eight characters at most. */
const languageOf = (word: string) => `x-${word.match(/.{1,8}/g)?.join('-')}`;

/** The queries by which a list may find the item. */
const FOUND_BY: Record<string, (word: string) => string[]> = {
  '/api/content': (word) => [
    ...['tag', 'any_tag', 'category', 'keyword'].map((name) => `${name}=${word}`),
    ...['newest', 'oldest', 'changed', 'title'].map((sort) => `tag=${word}&sort=${sort}`),
    `language=${languageOf(word)}`,
    `language=${languageOf(word)}&tag=${word}`,
    `keyword=${word}&sort=relevance`,
    `keyword=${word}&highlights=true`,
    `category=${word}&cursor=`,
  ],
  '/api/content?status=draft': draftsBy('draft'),
  '/api/content?status=with_draft': draftsBy('with_draft'),
  '/api/content/trash': () => ['per_page=100'],
  '/api/content/tags': (word) => [`prefix=${word}`],
  '/api/content/categories': (word) => [`prefix=${word}`],
};

/** The same of a list of drafts, or of items with drafts. */
function draftsBy(status: string) {
  return (word: string) =>
    [
      'per_page=100',
      ...['tag', 'any_tag', 'category'].map((name) => `${name}=${word}`),
      `language=${languageOf(word)}`,
      `tag=${word}&cursor=`,
    ].map((query) => `status=${status}&${query}`);
}

const BODIES: Record<string, (id: number) => object> = {
  'PUT /api/content/{id}': () => ({ category: newWord() }),
  'PATCH /api/content/{id}': () => ({ category: newWord() }),
  'POST /api/content/bulk': (id) => ({
    operations: [{ action: 'update', id, change: { category: newWord() } }],
  }),
  'PUT /api/content/{id}/draft': () => ({ title: 'changed again' }),
};

/** Changes that leave an item in the state that it has. */
const KEEPING_STATE = [
  ...['PUT /api/content/{id}', 'PATCH /api/content/{id}', 'POST /api/content/bulk'],
  'POST /api/content/{id}/versions/{version}/restore',
];

/** Each table, with the requests that stand between it and the one before. */
function tablesOf(document: string): Table[] {
  const tables = [...document.matchAll(/([^|]*?)\n((?:\|[^\n]*\n)+)/g)];
  return tables.map(([, text = '', table = '']) => {
    const rows = table
      .trim()
      .split('\n')
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    const [[, ...states] = [], , ...lines] = rows;
    const cells = lines.flatMap(([person = '', ...answers]) =>
      answers.map((answer, at) => [`${person} ${states[at]}`, answer] as const),
    );
    return {
      requests: [...text.matchAll(/`((?:GET|PUT|PATCH|POST|DELETE) [^`]+)`/g)].map(
        ([, request = '']) => request,
      ),
      cells: new Map(cells),
    };
  });
}
