import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { registeredRoutes } from '../support/declared.ts';
import { onEveryEngine } from '../support/engines.ts';
import type { RunningService } from '../support/service.ts';
import { describeOnService } from '../support/suite.ts';
import { until } from '../support/until.ts';
import { listen } from './black-box/event-stream.ts';
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

    async function newItem(author: Author, state: State): Promise<Item> {
      const word = newWord();
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

    /** Whether somebody is told of an item of the author that it comes into that state, or a status. */
    async function heardBy(who: Caller, author: Author, state: State): Promise<string> {
      if (!who) return String((await ask(who, 'GET', '/api/events')).status);
      const listener = await listen(service().url, who);
      try {
        const { id } = await newItem(author, state);
        const fence = await write(author);
        await listener.heard('content.created', fence.id);
        return listener.namesOf(id).length === STEPS[state] ? 'yes' : 'no';
      } finally {
        listener.close();
      }
    }

    /** A status, or whether a feed has the item. */
    async function answerOfFeed(who: Caller, path: string, { id, word }: Item): Promise<string> {
      const headers = who && { authorization: `Bearer ${who.token}` };
      const response = await fetch(service().url + path.replace('{id}', '1'), { headers: headers ?? {} });
      if (response.status !== 200) return String(response.status);
      const text = await response.text();
      assert.ok(!text.includes(draftOf(word)));
      return new RegExp(`/posts/${id}\\b`).test(text) ? 'yes' : 'no';
    }

    /** A status, or whether a list has the item, as the tables say it. */
    async function answerTo(who: Caller, request: string, item: Item): Promise<string> {
      const { id, slug, word } = item;
      const [method = '', path = ''] = request.split(' ');
      if (path.startsWith('/api/feeds/')) return answerOfFeed(who, path, item);
      if (method === 'GET' && FOUND_BY[path]) {
        const found = [];
        for (const query of FOUND_BY[path](word)) {
          const { status, body } = await ask(who, method, `${path.replace(/\?.*/, '')}?${query}`);
          if (status !== 200) return String(status);
          const { items, total } = body.data;
          const has = items.some(
            (each: Partial<Item> & { name?: string }) => each.id === id || each.name === word,
          );
          if (total !== undefined && query.includes(word))
            assert.equal(total, has ? 1 : 0, `${path}?${query}`);
          found.push(has ? 'yes' : 'no');
        }
        assert.equal(new Set(found).size, 1, `${request}: ${found}`);
        return found[0] ?? '';
      }
      const concrete = path
        .replace('{id}', String(id))
        .replace('{slug}', encodeURIComponent(slug))
        .replace('{version}', '1');
      const { status, body } = await ask(who, method, concrete, BODIES[request]?.(id));
      if (request === 'GET /api/content/{id}' && status === 200) assert.equal(body.data.title, word);
      return String(status);
    }

    const newPeople = async () => ({
      ...{ stranger: undefined, another: await member(), author: await member() },
      ...{ editor: await editor(), admin: await admin() },
    });
    let people: ReturnType<typeof newPeople> | undefined;
    /** What is only read, once in each state. */
    const shown = new Map<State, Promise<Item>>();
    const shownItem = (author: Author, state: State) => {
      const item = shown.get(state) ?? newItem(author, state);
      shown.set(state, item);
      return item;
    };

    for (const { requests, cells } of TABLES)
      for (const request of requests)
        it(`What each person gets for ${request} is what the page says`, async () => {
          people ??= newPeople();
          const { author, ...others } = await people;
          // A feed and the trash show the newest first, and no more than some.
          const isOfNewest = /feeds|trash/.test(request);
          const itemFor = request.startsWith('GET') && !isOfNewest ? shownItem : newItem;
          for (const state of STATES) {
            let item = await itemFor(author, state);
            // A search knows an item a moment after it was written.
            if (request === 'GET /api/content' && cells.get(`admin ${state}`) === 'yes')
              await until(
                async () =>
                  (await done(others.admin, 'GET', `/api/content?keyword=${item.word}`)).total === 1,
                'the item is found',
              );
            for (const person of PERSONS) {
              const expected = cells.get(`${person} ${state}`);
              const who = person === 'author' ? author : others[person];
              const answer =
                request === 'GET /api/events'
                  ? await heardBy(who, author, state)
                  : await answerTo(who, request, item);
              assert.equal(answer, expected, `${person}, ${state}`);
              if (answer === '200' && !request.startsWith('GET')) item = await newItem(author, state);
            }
          }
        });
  };
  describeOnService(engine, 'on one service', onOneService, SETTINGS);
});

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
  'PUT /api/content/{id}': () => ({ category: 'other' }),
  'PATCH /api/content/{id}': () => ({ category: 'other' }),
  'POST /api/content/bulk': (id) => ({
    operations: [{ action: 'update', id, change: { category: 'other' } }],
  }),
  'PUT /api/content/{id}/draft': () => ({ title: 'changed again' }),
};

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
