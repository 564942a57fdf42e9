import { accounts } from '../datasets/accounts.ts';
import type { Bench, Row } from '../row.ts';
import { measureSearches } from '../searches.ts';

const path = (keyword: string, page = 1) =>
  `/api/users?keyword=${encodeURIComponent(keyword)}${page === 1 ? '' : `&page=${page}`}`;

/** Keywords from those that people type to those that only an attacker types: common trigrams with few matches. */
export const usersSearch: Row = {
  name: 'users-search',
  needs: ({ million }) => [million],
  async run(bench: Bench) {
    const dataset = bench.datasets.million;
    const everyone = accounts(dataset.accounts).take(20_000).toArray();
    const some = everyone.filter(({ username }) => /\d$/.test(username)).slice(0, 200);
    const [byName, any] = [{ p99: 15 }, { p99: 50 }];
    const shapes = [
      { ...byName, what: 'by a whole name', paths: some.map(({ username }) => path(username)) },
      {
        ...byName,
        what: 'by the end of a name',
        paths: some.map(({ username }) => path(username.slice(-5))),
      },
      { ...byName, what: 'by a surname ("doyle")', paths: [path('doyle')] },
      { ...any, what: 'by three letters ("oyl")', paths: [path('oyl')] },
      { ...any, what: 'deep ("doyle", page 400)', paths: [path('doyle', 400)] },
      { ...any, what: 'of common trigrams ("11@mail.example")', paths: [path('11@mail.example')] },
      { ...any, what: 'of common trigrams ("1@company.exam")', paths: [path('1@company.exam')] },
      { ...any, what: 'of common trigrams ("letters.example")', paths: [path('letters.example')] },
      { ...any, what: 'of common trigrams ("anna.m")', paths: [path('anna.m')] },
      { ...any, what: 'of common trigrams ("example.example")', paths: [path('example.example')] },
    ];
    return measureSearches(bench, dataset, shapes, 'GET /api/users?keyword=');
  },
};
