/** The members of an item that decide whether everybody may read it. Their spelling may be another one in a file. */
const DECIDING = new Map([
  ['status', 'status'],
  ['visibility', 'visibility'],
  ['publishat', 'publish_at'],
]);
/** Values by which Hugo and Jekyll mean `false`. Some are texts in YAML 1.2. */
const NO = ['false', 'no', 'off', 'n', '0'];

export const IN_TRASH = 'trashed_at says that this item was in the trash; take trashed_at away to import it.';

/** A member that is taken by its name in a front matter even where its value has another type, and is then refused. */
export function isDeciding(name: string): boolean {
  return [...DECIDING.values()].includes(name);
}

/**
 * Why a value of a front matter cannot be `meta` of an item that everybody may read: it says that its author wants something
 * else. `has` tells the names in the same front matter, whose own words count more. Undefined for any other value.
 */
export function keptBack(name: string, value: unknown, has: (name: string) => boolean): string | undefined {
  const member = DECIDING.get(plain(name));
  if (member !== undefined && member !== name && !has(member)) return `Write "${member}" for "${name}".`;
  if (plain(name) === 'trashedat' && value !== null) return IN_TRASH;
  if (value === null || has('status')) return undefined;
  const isNo = NO.includes(String(value).toLowerCase());
  if (plain(name) === 'draft' && !isNo) return `Write "status: draft" for "${name}".`;
  if (plain(name) === 'published' && isNo)
    return `Write "status: draft" for "${name}: ${String(value).toLowerCase()}".`;
  return undefined;
}

/** A line that names such a member as YAML may, also where it is no front matter for want of a beginning or an end. */
const NAMING =
  /^[ \t]*(?:[?{,][ \t]*)?(["']?)(?:status|visibility|publish[-_ ]?at|draft|published)\1[ \t]*:/im;
const ASKING = /^[ \t]*\?[ \t]+(["']?)(?:status|visibility|publish[-_ ]?at|draft|published)\1[ \t]*$/im;

/** Does a line of this text look like one of a front matter that says who may read the item? */
export function namesKeptBack(text: string): boolean {
  return NAMING.test(text) || ASKING.test(text);
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[-_ ]/g, '');
}
