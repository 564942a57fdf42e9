import type { Epoch } from '../domain/epoch.ts';
import { entityTags, shapeOf, type TaggedRequest } from '../http/entity-tags.ts';
import { ContentListItem, type ListedState } from './contract.ts';
import type { OnlyIf } from './precondition.ts';
import type { Selection } from './selection.ts';

/** What an item looks like to everybody who may read it. */
type TaggedState = Pick<ListedState, 'version' | 'updated_at' | 'slug' | 'author_id' | 'author_name'>;

export const SHAPE = shapeOf(ContentListItem);
/** Tags of version 0.2.0 have no epoch. */
const STATE = /^"([1-9]\d{0,15})-([0-9a-z]{1,11})-(?:([\w-]{6})\.)?[\w-]{4}\./;

/**
 * The entity tag of an item as answers show it: the version, when it was made, the epoch of the database, and what else is
 * shown. The time tells two changes with the same number apart where a copy of the database was put in place by hand. The
 * name of the author changes without a new version, and an item that is older than slugs gets its slug. Each selection of
 * its members is another representation, and so is HTML: `form` names that.
 */
export function entityTagOf(
  epoch: Epoch,
  { version, updated_at, slug, author_id, author_name }: TaggedState,
  selection?: Selection,
  form?: string,
): string {
  const author = `${author_id}.${encodeURIComponent(author_name)}`;
  const parts = [slug === null ? '!' : '', form ? `!${form}` : '', selection ? `;${selection.tag}` : ''];
  return `"${version}-${updated_at.toString(36)}-${epoch.name}.${SHAPE}.${author}${parts.join('')}"`;
}

/**
 * The states that the If-Match of a request names; undefined where any will do. The rest of a tag does not count: a new
 * name of the author is no lost update. Fails with `malformed_request`.
 */
export function onlyIfOf({ headers, server: { epoch } }: TaggedRequest): OnlyIf | undefined {
  const tags = entityTags('If-Match', headers['if-match']);
  if (tags === undefined || tags === '*') return undefined;
  return tags.flatMap(({ tag, isWeak }) => {
    const [, version, time = '', named] = STATE.exec(tag) ?? [];
    const changedAt = Number.parseInt(time, 36);
    if (version === undefined || !epoch.isMeant(named, changedAt)) return [];
    return [{ version: Number(version), changedAt, isWeak }];
  });
}
