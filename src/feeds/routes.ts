import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListedRow } from '../content/contract.ts';
import type { FairQueue } from '../domain/admission/fair-queue.ts';
import { notFound } from '../domain/failure.ts';
import { askerOf } from '../http/access.ts';
import { isNamedBy, knownTags } from '../http/entity-tags.ts';
import { LIMITS } from '../http/limits.ts';
import { IdParams, idIn } from '../http/paging.ts';
import type { App } from '../http/server.ts';
import { heavyTurn, holdBytes, largeInTurn } from '../http/under-way.ts';
import { listContent } from '../lists/list.ts';
import { keyOf } from '../lists/listed-json.ts';
import type { Store } from '../store/store.ts';
import { atomOf } from './atom.ts';
import { type Entry, type FeedAddresses, toEntry } from './feed.ts';
import { jsonFeedOf } from './json-feed.ts';
import { newestChange } from './newest-change.ts';
import { countSitemaps, sitemap, sitemapIndex } from './sitemap.ts';

/** The newest items that a feed has. */
const ENTRIES = 50;
/** Seconds for which others may keep an answer. */
const MAX_AGE = 300;
const XML = 'application/xml; charset=utf-8';
/** What a sitemap under way has in memory at most. */
const HELD = 256 * 1024;

interface FeedParts {
  readonly store: Store;
  readonly searches: FairQueue;
  readonly addresses: FeedAddresses;
}

type Feed = (entries: readonly Entry[], addresses: FeedAddresses) => string;

/** What strangers read, for feed readers and search engines. Who sends a token gets the same. */
export function feedRoutes(app: App, { store, searches, addresses }: FeedParts): void {
  const hidden = {
    config: { access: 'public', limits: [], shows: 'visible' },
    schema: { hide: true },
  } as const;
  // Another tag where the database or the settings are others.
  const tagOf = (...about: unknown[]) =>
    `"${hash('sha256', JSON.stringify([app.epoch.name, addresses, ...about]), 'base64url').slice(0, 22)}"`;

  function isKnown(request: FastifyRequest, tag: string): boolean {
    const known = knownTags(request);
    return known !== undefined && isNamedBy(known, tag);
  }

  /** For what is answered next, and not for a failure. */
  function cached(reply: FastifyReply, tag: string): FastifyReply {
    return reply.headers({ etag: tag, 'cache-control': `public, max-age=${MAX_AGE}` });
  }

  function feed(path: string, type: string, write: Feed): void {
    app.get(path, hidden, async (request, reply) => {
      const newest = { page: 1, per_page: ENTRIES, keyword: '', category: '', sort: 'newest' } as const;
      const { items } = await searches.run(await askerOf(request), () => store.read(listContent, newest));
      const tag = tagOf(path, items.map(keyOf));
      if (isKnown(request, tag)) return cached(reply, tag).code(304).send();
      const rows = items.filter((item): item is ListedRow => 'content' in item);
      const entries = rows.map((row) => toEntry(row, addresses));
      const size = entries.reduce((sum, { text }) => sum + text.length, 0);
      await largeInTurn(request, size, undefined);
      return cached(reply, tag).type(type).send(write(entries, addresses));
    });
  }

  feed('/api/feeds/atom', 'application/atom+xml; charset=utf-8', atomOf);
  feed('/api/feeds/json', 'application/feed+json; charset=utf-8', jsonFeedOf);

  // A sitemap is made as it leaves: for its head alone, all of it would be made.
  const streamed = { ...hidden, exposeHeadRoute: false };

  app.get('/api/feeds/sitemap', streamed, async (request, reply) => {
    const tag = tagOf('sitemap', await store.read(newestChange, null));
    if (isKnown(request, tag)) return cached(reply, tag).code(304).send();
    const sitemaps = await countSitemaps(store);
    if (sitemaps === 1) return sendSitemap(request, reply, { number: 1, tag });
    return cached(reply, tag).type(XML).send(sitemapIndex(sitemaps, addresses));
  });

  const numbered = { ...streamed, schema: { hide: true, params: IdParams } };
  app.get('/api/feeds/sitemap/:id', numbered, async (request, reply) => {
    const number = idIn(request.params, 'sitemap');
    const tag = tagOf('sitemap', number, await store.read(newestChange, null));
    if (number > (await countSitemaps(store))) throw notFound('sitemap');
    if (isKnown(request, tag)) return cached(reply, tag).code(304).send();
    return sendSitemap(request, reply, { number, tag });
  });

  function sendSitemap(
    request: FastifyRequest,
    reply: FastifyReply,
    { number, tag }: { readonly number: number; readonly tag: string },
  ): FastifyReply {
    holdBytes(request, HELD);
    // A client that takes nothing for this long is hung up on.
    request.raw.socket.setTimeout(LIMITS.unreadTimeout);
    const stream = sitemap(store, number, addresses, () => heavyTurn(request));
    return cached(reply, tag).type(XML).send(stream);
  }
}
