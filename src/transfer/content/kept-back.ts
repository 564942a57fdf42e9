/** The members of an item that decide whether everybody may read it. Their spelling may be another one in a file. */
const DECIDING = new Map([
  ['status', 'status'],
  ['visibility', 'visibility'],
  ['publishat', 'publish_at'],
]);
/** Values by which Hugo and Jekyll mean `false`. Some are texts in YAML 1.2. */
const NO = ['false', 'no', 'off', 'n', '0'];
/** Names of Hugo and Jekyll for the time before which they publish nothing. */
const DATES = ['date', 'publishdate', 'pubdate', 'published'];
/** Names that hold an item back in other programs, but for `date`, which plain texts have too. */
const HOLDING = ['draft', 'private', 'trashedat', ...DATES.slice(1)];

export const IN_TRASH = 'trashed_at says that this item was in the trash; take trashed_at away to import it.';

/** A member that is taken by its name in a front matter even where its value has another type, and is then refused. */
export function isDeciding(name: string): boolean {
  return [...DECIDING.values()].includes(name);
}

/** Does a name, in any spelling, say who may read an item? */
export function decides(name: string): boolean {
  return DECIDING.has(plain(name)) || HOLDING.includes(plain(name));
}

/**
 * Why a value of a front matter cannot be `meta` of an item that everybody may read: it says that its author wants something
 * else. `has` tells the names in the same front matter, whose own words count more. Undefined for any other value.
 */
export function keptBack(
  name: string,
  value: unknown,
  has: (name: string) => boolean,
  now: number,
): string | undefined {
  const key = plain(name);
  const member = DECIDING.get(key);
  if (member !== undefined && member !== name && !has(member)) return `Write "${member}" for "${name}".`;
  if (key === 'trashedat' && value !== null) return IN_TRASH;
  if (value === null || has('status')) return undefined;
  const text = textOf(value).toLowerCase();
  const isNo = NO.includes(text);
  if (key === 'draft' && !isNo) return `Write "status: draft" for "${name}".`;
  if (key === 'private' && !isNo) return `Write "status: draft" or "visibility: members" for "${name}".`;
  if (key === 'published' && isNo) return `Write "status: draft" for "${name}: ${text}".`;
  if (DATES.includes(key) && timeOf(text) > now)
    return `"${name}" is in the future; add "status: draft" and "publish_at", or "status: published" to publish it now.`;
  return undefined;
}

/** Not `String`, which throws for an object with a member `toString`: meta of a member must not end an export. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join();
  return typeof value === 'object' ? '' : String(value);
}

/** The time of a date in any form that YAML or another program writes. NaN for any other text. */
function timeOf(text: string): number {
  const time = Date.parse(text);
  // YAML takes an offset of one digit too. A day is enough then.
  return Number.isNaN(time) ? Date.parse(/^\d{4}-\d\d?-\d\d?/.exec(text)?.[0] ?? '') : time;
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
