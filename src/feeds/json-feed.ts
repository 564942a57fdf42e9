import type { Entry, FeedAddresses } from './feed.ts';

/** The feed by JSON Feed 1.1. */
export function jsonFeedOf(entries: readonly Entry[], { publicUrl, contentUrl }: FeedAddresses): string {
  const { host, origin } = new URL(contentUrl);
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: host,
    home_page_url: `${origin}/`,
    feed_url: `${publicUrl}/api/feeds/json`,
    items: entries.map(({ id, url, title, text, published, updated, author, tags, language }) => ({
      id,
      url,
      title,
      content_text: text,
      date_published: published,
      date_modified: updated,
      authors: [{ name: author }],
      tags,
      language,
    })),
  });
}
