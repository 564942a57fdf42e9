import { againstBare } from '../against-bare.ts';
import { items } from '../datasets/items.ts';
import { get } from '../load/requests.ts';
import type { Bench, Row } from '../row.ts';
import { measureSearches } from '../searches.ts';
import { signIn } from '../servers/accounts.ts';
import { takeSample } from '../servers/sample.ts';
import { startStoa } from '../servers/stoa.ts';

const PATH = '/api/content';
const CONNECTIONS = 64;

/** Lists of 20 whole items of a kilobyte, filters and orders, each of which has an index, and the labels. */
export const contentList: Row = {
  name: 'content-list',
  needs: ({ items }) => [items],
  async run(bench: Bench) {
    const plain = await plainList(bench);
    const filtered = await measureSearches(
      bench,
      bench.datasets.items,
      shapes(bench.target.name),
      `GET ${PATH}`,
    );
    return {
      lines: [...plain.lines, ...filtered.lines],
      latency: [...plain.latency, ...filtered.latency],
      cost: filtered.cost,
    };
  },
};

async function plainList(bench: Bench) {
  const dataset = bench.datasets.items;
  const stoa = await startStoa(await bench.target.prepare(dataset), bench);
  try {
    const tokens = (await signIn(stoa.port, dataset, CONNECTIONS)).map(({ token }) => token);
    const work = `GET ${PATH}, page 1 of 20, ${dataset.items.toLocaleString('en')} items of 1 KB`;
    const asked = { token: tokens[0] ?? '' };
    const sample = await takeSample(stoa.port, 'GET', PATH, asked);
    const known = sample.headers.etag;
    const whole = await againstBare(bench, stoa, {
      ...{ work, atLeast: 0.7, sample },
      load: { connections: CONNECTIONS, requests: tokens.map((token) => get(PATH, token)) },
    });
    const unchanged = await againstBare(bench, stoa, {
      ...{ work: `${work}, not changed (304)`, atLeast: 0.8 },
      sample: await takeSample(stoa.port, 'GET', PATH, { ...asked, known }),
      load: { connections: CONNECTIONS, requests: tokens.map((token) => get(PATH, token, known)) },
    });
    return {
      lines: [whole.line, unchanged.line],
      latency: [...whole.latency, ...unchanged.latency],
    };
  } finally {
    await stoa.stop();
  }
}

/** Milliseconds for a search by words. PostgreSQL may take longer, because it is another process. */
const WORDS = { SQLite: 15, PostgreSQL: 30 };

function shapes(engine: keyof typeof WORDS) {
  const filter = { p99: 10 };
  const words = { p99: WORDS[engine] };
  const commonest = { p99: 100, forMany: true };
  const some = items(200, 1_000).toArray();
  const word = (index: number, place: number) => some[index]?.content.split(' ')[place] ?? '';
  const counts = Map.groupBy(
    some.flatMap(({ content }) => content.split(' ')),
    (each) => each,
  );
  const rare = [...counts.keys()].filter((each) => each.length >= 10 && counts.get(each)?.length === 1);
  const by = (query: Record<string, string>) => [`${PATH}?${new URLSearchParams(query)}`];
  return [
    { ...filter, what: '?category= (a common one)', paths: by({ category: 'category-3' }) },
    { ...filter, what: '?category= (a rare one)', paths: by({ category: 'category-24' }) },
    { ...filter, forMany: true, what: '?tag= (the commonest)', paths: by({ tag: 'tag-1' }) },
    { ...filter, what: '?tag= (a common one)', paths: by({ tag: 'tag-12' }) },
    { ...filter, what: '?author=', paths: by({ author: '500' }) },
    {
      ...filter,
      what: '?category=&tag=&author=',
      paths: by({ category: 'category-3', tag: 'tag-5', author: '500' }),
    },
    ...['newest', 'oldest', 'changed', 'title'].map((sort) => ({
      ...{ ...filter, forMany: true },
      what: `?sort=${sort}`,
      paths: by({ sort }),
    })),
    { ...filter, forMany: true, what: '?cursor= (a step of a walk)', paths: by({ cursor: '' }) },
    { ...filter, forMany: true, what: '/tags', paths: [`${PATH}/tags`, `${PATH}/tags?prefix=tag-1`] },
    { ...filter, forMany: true, what: '/categories', paths: [`${PATH}/categories`] },
    {
      ...words,
      what: '?keyword=&sort=relevance (two words)',
      paths: by({ keyword: `${word(3, 5)} ${word(3, 6)}`, sort: 'relevance' }),
    },
    {
      ...words,
      what: '?keyword= (rare words)',
      paths: rare.slice(0, 100).flatMap((keyword) => by({ keyword })),
    },
    { ...words, what: '?keyword= (two words)', paths: by({ keyword: `${word(3, 5)} ${word(3, 6)}` }) },
    { ...words, what: '?keyword= (the beginning of a word)', paths: by({ keyword: word(3, 5).slice(0, 4) }) },
    { ...words, what: '?keyword= (a phrase of common words)', paths: by({ keyword: '"in the to of"' }) },
    {
      ...commonest,
      what: '?keyword= (a phrase of the commonest: "and the of")',
      paths: by({ keyword: '"and the of"' }),
    },
    { ...commonest, what: '?keyword= (the commonest words)', paths: by({ keyword: 'and the of' }) },
    { ...commonest, what: '?keyword= (in every item: "the")', paths: by({ keyword: '"the"' }) },
  ];
}
