import assert from 'node:assert/strict';
import { type Account, type Answer, call, newAccount } from '../client.ts';
import type { Document } from './library.ts';

const ACCOUNTS = 10;
const KEYWORDS = [
  'JSON',
  'stream',
  'Permission is hereby granted',
  'async function',
  'no-such-word-anywhere-☃',
];

interface Stored {
  readonly id: number;
  readonly author: Account;
  readonly document: Document;
}

export interface Report {
  readonly documents: number;
  readonly bytes: number;
  readonly searches: number;
  readonly seconds: { readonly store: number; readonly readBack: number; readonly search: number };
}

/**
 * Stores the documents as ten accounts at once, reads every one back byte for byte, and finds some by
 * keyword, tag, category and author with the totals that the documents themselves have.
 */
export async function roundTrip(url: string, documents: readonly Document[]): Promise<Report> {
  const authors = await Promise.all(Array.from({ length: ACCOUNTS }, () => newAccount(url)));
  const began = performance.now();
  const shares = authors.map((author, index) =>
    storeAll(
      url,
      author,
      documents.filter((_, each) => each % ACCOUNTS === index),
    ),
  );
  const stored = (await Promise.all(shares)).flat();
  const storedAt = performance.now();
  await Promise.all(
    authors.map((author) =>
      readBack(
        url,
        stored.filter((each) => each.author === author),
      ),
    ),
  );
  const readAt = performance.now();
  const searches = await findSome(url, stored, authors);
  const bytes = documents.reduce((sum, document) => sum + document.bytes.length, 0);
  const seconds = {
    store: (storedAt - began) / 1000,
    readBack: (readAt - storedAt) / 1000,
    search: (performance.now() - readAt) / 1000,
  };
  return { documents: stored.length, bytes, searches, seconds };
}

async function storeAll(url: string, author: Account, documents: readonly Document[]): Promise<Stored[]> {
  const stored: Stored[] = [];
  for (const document of documents) {
    const { bytes, ...members } = document;
    const body = { ...members, content: bytes.toString('utf8') };
    const { status, body: answer } = await call(url, 'POST', '/api/content', { token: author.token, body });
    assert.equal(status, 200, `${document.title}: ${JSON.stringify(answer)}`);
    stored.push({ id: answer.data.id, author, document });
  }
  return stored;
}

async function readBack(url: string, stored: readonly Stored[]): Promise<void> {
  for (const { id, author, document } of stored) {
    const { status, body } = await call(url, 'GET', `/api/content/${id}`);
    assert.equal(status, 200);
    const { title, content, category, tags } = body.data;
    assert.ok(document.bytes.equals(Buffer.from(content, 'utf8')), `${document.title} came back otherwise`);
    assert.deepEqual(
      { title, category, tags },
      { title: document.title, category: document.category, tags: document.tags },
    );
    assert.deepEqual(body.data.author, { id: author.id, username: author.username });
  }
}

/** Compares what the service finds with what is true of the documents; returns how often. */
async function findSome(
  url: string,
  stored: readonly Stored[],
  authors: readonly Account[],
): Promise<number> {
  const tags = mostFrequent(
    stored.flatMap(({ document }) => document.tags),
    5,
  );
  const categories = mostFrequent(stored.map(({ document }) => document.category).filter(Boolean), 3);
  const checks: [query: Record<string, string>, isMatch: (each: Stored) => boolean][] = [
    [{}, () => true],
    ...KEYWORDS.map(
      (keyword) => [{ keyword }, contains(keyword)] as [Record<string, string>, (each: Stored) => boolean],
    ),
  ];
  for (const tag of tags) checks.push([{ tag }, ({ document }) => document.tags.includes(tag)]);
  for (const category of categories)
    checks.push([{ category }, ({ document }) => document.category === category]);
  for (const { id } of authors) {
    checks.push([{ author: String(id) }, ({ author }) => author.id === id]);
    checks.push([
      { author: String(id), keyword: 'json' },
      (each) => each.author.id === id && contains('json')(each),
    ]);
  }
  for (const [query, isMatch] of checks) {
    const expected = stored
      .filter(isMatch)
      .map(({ id }) => id)
      .toSorted((a, b) => a - b);
    const { body } = await findAll(url, new URLSearchParams({ ...query, per_page: '20' }));
    const found = body.data.items.map(({ id }: { id: number }) => id);
    assert.equal(body.data.total, expected.length, JSON.stringify(query));
    assert.deepEqual(found, expected.slice(0, 20), JSON.stringify(query));
  }
  return checks.length;
}

/** Asks again while the index of words says that it lacks new items, which a busy machine may take a second for. */
async function findAll(url: string, query: URLSearchParams): Promise<Answer> {
  for (;;) {
    const answer = await call(url, 'GET', `/api/content?${query}`);
    if (!answer.headers.has('stoa-index-lag')) return answer;
  }
}

/** The rule of the interface in other words than the service's: by words, without case and compatibility forms. */
function contains(keyword: string): (each: Stored) => boolean {
  const fold = (text: string) => text.slice(0, SEARCHED).normalize('NFKC').toLowerCase();
  const words = fold(keyword).match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const patterns = words.map((word, at) => {
    const end = at === words.length - 1 && Buffer.byteLength(word) >= 3 ? '' : '(?![\\p{L}\\p{M}\\p{N}])';
    return new RegExp(`(?<![\\p{L}\\p{M}\\p{N}])${word}${end}`, 'u');
  });
  return ({ document }) => {
    const texts = [fold(document.title), fold(document.bytes.toString('utf8'))];
    return patterns.length > 0 && patterns.every((pattern) => texts.some((text) => pattern.test(text)));
  };
}

/** Code units of a text that it is found by. */
const SEARCHED = 100_000;

function mostFrequent(labels: readonly string[], count: number): string[] {
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, count)
    .map(([label]) => label);
}
