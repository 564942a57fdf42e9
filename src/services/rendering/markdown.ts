import MarkdownIt, { type Token } from 'markdown-it';
import sanitizeHtml, { type Attributes, type IOptions } from 'sanitize-html';

/** Characters of HTML that a text may make. A short reference to a long address makes thousands of them. */
const MOST_HTML = 4 * 1024 * 1024;

class TooLong extends Error {}

const markdown = new MarkdownIt('commonmark').enable('table');

/** Characters of the addresses and titles of the text under way. It may define one once and use it many times. */
let repeated = 0;

function count(token: Token | undefined): void {
  for (const [, value] of token?.attrs ?? []) repeated += String(value).length;
  if (repeated > MOST_HTML) throw new TooLong();
}

const { rules } = markdown.renderer;
const { image } = rules;
rules.link_open = (tokens, index, options, _env, self) => {
  count(tokens[index]);
  return self.renderToken(tokens, index, options);
};
rules.image = (tokens, index, options, env, self) => {
  count(tokens[index]);
  return image ? image(tokens, index, options, env, self) : self.renderToken(tokens, index, options);
};

// Columns are aligned by an attribute, because no style is let through.
markdown.core.ruler.push('align', ({ tokens }) => {
  for (const token of tokens) {
    const style = token.type === 'th_open' || token.type === 'td_open' ? token.attrGet('style') : null;
    if (style !== null) token.attrs = [['align', String(style).replace('text-align:', '')]];
  }
});

/** What is let through; all else is removed, with its content where a browser would run or draw that. */
const ALLOWED: IOptions = {
  allowedTags: [
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'blockquote', 'pre', 'hr', 'br', 'div'],
    ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'figure', 'figcaption'],
    ...['table', 'caption', 'thead', 'tbody', 'tfoot', 'tr', 'th', 'td'],
    ...['a', 'img', 'em', 'strong', 'b', 'i', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup'],
    ...['code', 'kbd', 'samp', 'var', 'abbr', 'cite', 'q', 'dfn', 'span', 'ruby', 'rb', 'rt', 'rp', 'wbr'],
  ],
  allowedAttributes: {
    a: ['href', 'title', 'rel'],
    img: ['src', 'alt', 'title', 'width', 'height'],
    ol: ['start'],
    th: ['align', 'colspan', 'rowspan'],
    td: ['align', 'colspan', 'rowspan'],
    abbr: ['title'],
    details: ['open'],
  },
  allowedClasses: { code: ['language-*'] },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesByTag: { img: ['https'] },
  allowProtocolRelative: false,
  nestingLimit: 100,
  transformTags: { a: (tagName: string, attribs: Attributes) => ({ tagName, attribs: linkOf(attribs) }) },
  exclusiveFilter: ({ tag, attribs }) => tag === 'img' && !attribs.src,
};

/** Authors are strangers to the site that shows their links. */
function linkOf({ href, title }: Attributes): Attributes {
  return {
    ...(href !== undefined && { href, rel: 'nofollow noopener ugc' }),
    ...(title !== undefined && { title }),
  };
}

/** The HTML of a text in CommonMark with tables. Nothing in it runs. Undefined where it would be too long. */
export function htmlOf(text: string): string | undefined {
  repeated = 0;
  try {
    const raw = markdown.render(text);
    if (raw.length > MOST_HTML) return undefined;
    const html = sanitizeHtml(raw, ALLOWED);
    return html.length > MOST_HTML ? undefined : html;
  } catch (error) {
    if (error instanceof TooLong) return undefined;
    throw error;
  }
}
