/** The members of an item that the address of its page may name. */
const PLACEHOLDERS = ['id', 'slug'] as const;
const PLACEHOLDER = /\{([^{}]*)\}/g;

/** What of an item is in the address of its page. An item that has no slug yet is addressed by its id. */
export type Addressed = { readonly id: number; readonly slug: string | null };

/** The address of the page of an item, from an address with placeholders that `parsePageUrl` has checked. */
export function pageUrlOf(template: string, item: Addressed): string {
  const values: Readonly<Record<string, string | number | null>> = { ...item };
  return new URL(template.replace(PLACEHOLDER, (_, name) => encodeURIComponent(values[name] ?? item.id)))
    .href;
}

/**
 * Checks an address such as https://example.org/posts/{id}; undefined for an empty text. Fails with an Error whose message
 * continues the name of the setting.
 */
export function parsePageUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const [names, known] = [
    [...text.matchAll(PLACEHOLDER)].map(([, name]) => name),
    new Set<string>(PLACEHOLDERS),
  ];
  const filled = ['1', '2'].map((value) => URL.parse(text.replace(PLACEHOLDER, value))?.origin);
  const isFixed = filled[0] !== undefined && filled[0] === filled[1];
  if (/^https?:\/\//.test(text) && isFixed && names.length > 0 && names.every((name = '') => known.has(name)))
    return text;
  const all = PLACEHOLDERS.map((name) => `{${name}}`).join(' or ');
  throw new Error(`must be an http or https URL with ${all} in its path or query, not "${text}".`);
}
