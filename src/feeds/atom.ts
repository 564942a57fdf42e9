import { isoTime } from '../domain/time.ts';
import type { Entry, FeedAddresses } from './feed.ts';
import { XML_DECLARATION, xml } from './xml.ts';

/** The feed by RFC 4287. */
export function atomOf(entries: readonly Entry[], { publicUrl, contentUrl }: FeedAddresses): string {
  const { host, origin } = new URL(contentUrl);
  const self = `${publicUrl}/api/feeds/atom`;
  const [updated = isoTime(0)] = entries
    .map((entry) => entry.updated)
    .toSorted()
    .reverse();
  return `${XML_DECLARATION}<feed xmlns="http://www.w3.org/2005/Atom">
<id>${xml(self)}</id>
<title>${xml(host)}</title>
<updated>${updated}</updated>
<link rel="self" type="application/atom+xml" href="${xml(self)}"/>
<link rel="alternate" type="text/html" href="${xml(origin)}/"/>
${entries.map(entryOf).join('')}</feed>
`;
}

function entryOf({ id, url, title, text, published, updated, author, tags, language }: Entry): string {
  return `<entry${language === undefined ? '' : ` xml:lang="${xml(language)}"`}>
<id>${xml(id)}</id>
<title>${xml(title)}</title>
<link rel="alternate" type="text/html" href="${xml(url)}"/>
<published>${published}</published>
<updated>${updated}</updated>
<author><name>${xml(author)}</name></author>
${tags.map((tag) => `<category term="${xml(tag)}"/>\n`).join('')}<summary>${xml(text)}</summary>
</entry>
`;
}
