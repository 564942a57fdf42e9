// A blog whose posts are the items of a Stoa with the category "blog". Posts are written in Stoa, and read here.
// README.md beside this file says how to start it.

import { createHash } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { type ContentSelection, createClient, memoryTokens } from '@stoa/client';

const { STOA_URL = 'http://localhost:8080', BLOG_PORT = '3000', BLOG_NAME = 'A blog' } = process.env;
const CATEGORY = 'blog';
const PER_PAGE = 10;

// Without a session, so the blog shows what strangers may read: no drafts, and nothing for members only.
const stoa = createClient({ url: STOA_URL, tokens: memoryTokens() });

/** HTML that is safe to show: only `html` and Stoa's own cleaned HTML make it. */
class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);

/** A template of HTML. Whatever is put in is escaped, unless it is HTML already. */
function html(parts: TemplateStringsArray, ...values: (string | number | Html | Html[])[]): Html {
  const texts = values.map((value) =>
    Array.isArray(value)
      ? value.map(({ text }) => text).join('')
      : value instanceof Html
        ? value.text
        : escaped(String(value)),
  );
  return new Html(parts.map((part, index) => part + (texts[index] ?? '')).join(''));
}

const day = (time: string) => new Date(time).toLocaleDateString('en', { dateStyle: 'long', timeZone: 'UTC' });

const linksOf = (tags: readonly string[]) =>
  tags.map((tag) => html` <a href="/?tag=${encodeURIComponent(tag)}">#${tag}</a>`);

const entry = ({ title = '', slug = '', created_at = '', tags = [] }: ContentSelection) => html`
<li><a href="/posts/${encodeURIComponent(slug)}">${title}</a> <small>${day(created_at)}${linksOf(tags)}</small></li>`;

const STYLE = `
:root { color-scheme: light dark; font: 1.1rem/1.6 system-ui; }
body { max-width: 40rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere; }
img { max-width: 100%; }
pre { overflow-x: auto; }
`;
const hash = (text: string, form: 'base64' | 'base64url') => createHash('sha256').update(text).digest(form);
/** Nothing on a page runs, should something slip through one day. */
const POLICY = `default-src 'none'; style-src 'sha256-${hash(STYLE, 'base64')}'; img-src https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;

const page = (title: string, body: Html) => html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${new Html(STYLE)}</style>
<header><a href="/">${BLOG_NAME}</a></header>
<main>
${body}
</main>
</html>
`;

interface Answer {
  readonly status: number;
  readonly body: Html;
}

/** A page that says why there is no other. What Stoa answers is a sentence for people already. */
const refusal = (status: number, message: string): Answer => ({
  status,
  body: page(message, html`<p>${message}</p>`),
});

async function list(asked: URLSearchParams): Promise<Answer> {
  const [number, tag, keyword] = [
    Number(asked.get('page') ?? 1),
    asked.get('tag'),
    asked.get('keyword') ?? '',
  ];
  const found = await stoa.call('listContent', {
    query: {
      ...{ category: CATEGORY, sort: 'newest', fields: 'title,slug,created_at,tags' },
      ...{ page: number, per_page: PER_PAGE, keyword, tag: tag === null ? [] : [tag] },
    },
  });
  if (!found.ok) return refusal(found.status || 503, found.error.message);
  const { total = 0, items } = found.data;
  asked.set('page', String(number + 1));
  const older =
    number * PER_PAGE < total ? [html`<p><a href="/?${asked.toString()}">Older posts</a></p>`] : [];
  const body = html`
<h1>${tag === null ? BLOG_NAME : `Posts about ${tag}`}</h1>
<form><input name="keyword" type="search" aria-label="Search" value="${keyword}"> <button>Search</button></form>
<ul>${items.map(entry)}</ul>
${total === 0 ? 'There is no post yet.' : ''}
${older}`;
  return { status: 200, body: page(BLOG_NAME, body) };
}

async function post(slug: string): Promise<Answer> {
  // A slug that the post had before is redirected to the one that it has, and `fetch` follows that.
  const found = await stoa.call('getContentBySlug', { path: { slug }, query: { format: 'html' } });
  if (!found.ok) return refusal(found.status || 503, found.error.message);
  const item = found.data;
  if (item.category !== CATEGORY) return refusal(404, 'There is no such post.');
  const { title, created_at, tags, author, html: cleaned } = item;
  const body = html`
<article>
<h1>${title}</h1>
<p><small>${day(created_at)}, ${author.username}${linksOf(tags)}</small></p>
${new Html(cleaned)}
</article>`;
  return { status: 200, body: page(title, body) };
}

function send(reply: ServerResponse, { status, body }: Answer, known: string | undefined): void {
  const etag = `"${hash(body.text, 'base64url')}"`;
  const common = { 'content-security-policy': POLICY, 'cache-control': 'no-cache', etag };
  if (known === etag) reply.writeHead(304, common).end();
  else reply.writeHead(status, { ...common, 'content-type': 'text/html; charset=utf-8' }).end(body.text);
}

async function answer(target: string): Promise<Answer> {
  const { pathname, searchParams } = new URL(target, 'http://blog');
  if (pathname === '/') return list(searchParams);
  const [, slug] = /^\/posts\/([^/]+)$/.exec(pathname) ?? [];
  return slug === undefined ? refusal(404, 'There is no such page.') : post(decodeURIComponent(slug));
}

const server = createServer(async ({ url = '/', headers }, reply) => {
  const refused = () => refusal(400, 'This address is not one of the blog.');
  send(reply, await answer(url).catch(refused), headers['if-none-match']);
});
server.listen(Number(BLOG_PORT), '127.0.0.1', () => {
  const { port } = Object(server.address());
  console.log(`${BLOG_NAME} is at http://localhost:${port}`);
});
