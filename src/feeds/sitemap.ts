import { Readable } from 'node:stream';
import { isoTime } from '../domain/time.ts';
import { listContent } from '../lists/list.ts';
import type { Store } from '../store/store.ts';
import type { FeedAddresses } from './feed.ts';
import { pageUrlOf } from './page-url.ts';
import { XML_DECLARATION, xml } from './xml.ts';

/** Addresses of one sitemap, as the protocol allows, and items of one read, which takes less than a millisecond. */
const SIZE = { most: 50_000, read: 250 };
/** Bytes that wait in memory for a client that does not read. */
const WAITING = 64 * 1024;

const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** By id, as strangers see them. */
function pageOf(store: Store, page: number, per_page: number, slugs = false) {
  return store.read(listContent, { page, per_page, keyword: '', category: '', slugs });
}

/** How many sitemaps there are, at least one. */
export async function countSitemaps(store: Store, { most } = SIZE): Promise<number> {
  const { total } = await pageOf(store, 1, 1);
  return Math.max(1, Math.ceil(total / most));
}

/** The index of the sitemaps, which `countSitemaps` has counted. */
export function sitemapIndex(sitemaps: number, { publicUrl }: FeedAddresses): string {
  const locations = Array.from({ length: sitemaps }, (_, at) => `${publicUrl}/api/feeds/sitemap/${at + 1}`);
  const all = locations.map((location) => `<sitemap><loc>${xml(location)}</loc></sitemap>\n`).join('');
  return `${XML_DECLARATION}<sitemapindex ${NAMESPACE}>\n${all}</sitemapindex>\n`;
}

/**
 * One sitemap, counted from 1. The next items are read when the client has taken those before, each time in a turn of
 * their own. A deletion meanwhile may move an item out of it, until the client comes again.
 */
export function sitemap(
  store: Store,
  number: number,
  { contentUrl }: FeedAddresses,
  turn: () => Promise<void>,
  { most, read } = SIZE,
): Readable {
  async function* parts(): AsyncGenerator<string> {
    yield `${XML_DECLARATION}<urlset ${NAMESPACE}>\n`;
    const pages = most / read;
    const first = (number - 1) * pages;
    for (let page = first + 1; page <= first + pages; page++) {
      await turn();
      const { items } = await pageOf(store, page, read, contentUrl.includes('{slug}'));
      yield items
        .map((item) => {
          const location = xml(pageUrlOf(contentUrl, item));
          return `<url><loc>${location}</loc><lastmod>${isoTime(item.updated_at)}</lastmod></url>\n`;
        })
        .join('');
      if (items.length < read) break;
    }
    yield '</urlset>\n';
  }
  return Readable.from(parts(), { objectMode: false, highWaterMark: WAITING });
}
