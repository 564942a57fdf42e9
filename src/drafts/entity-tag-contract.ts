import type { IncomingHttpHeaders } from 'node:http';
import { onlyIfOf } from '../content/entity-tag-contract.ts';
import { type EntityTag, entityTags, shapeOf } from '../http/entity-tags.ts';
import { ContentDraft } from './contract.ts';
import type { TaggedDraft } from './find.ts';
import type { DraftOnlyIf, DraftState } from './precondition.ts';

const SHAPE = shapeOf(ContentDraft);
/** Earlier versions of Stoa made tags that end after the time. */
const DRAFT = /^"draft-([1-9]\d{0,15})-([0-9a-z]{1,11})["-]/;

/**
 * The entity tag of a draft: its version, when it was saved, and what else its answer shows. That is the item, whose
 * members it has where it has no others, and the name of who saved it. It never looks like the tag of an item.
 */
export function draftTagOf(draft: TaggedDraft): string {
  const { version, saved_at, item_version, item_updated_at, saved_by, saver_name } = draft;
  const item = `${item_version}-${item_updated_at.toString(36)}`;
  const saver = `${saved_by}.${encodeURIComponent(saver_name)}`;
  return `"draft-${version}-${saved_at.toString(36)}-${item}-${SHAPE}.${saver}"`;
}

/**
 * The states of the item and of its draft that the If-Match of a request names. Of the tag of a draft only the version and
 * its time count. Fails with `malformed_request`.
 */
export function draftOnlyIfOf(request: { readonly headers: IncomingHttpHeaders }): DraftOnlyIf {
  const tags = entityTags('If-Match', request.headers['if-match']);
  if (tags === undefined || tags === '*') return { item: undefined, draft: undefined };
  return { item: onlyIfOf(request), draft: statesOf(tags) };
}

/** The drafts that the If-None-Match of a request names; '*' stands for any. Fails with `malformed_request`. */
export function draftNoneOf({ headers }: { readonly headers: IncomingHttpHeaders }): DraftOnlyIf['noneOf'] {
  const tags = entityTags('If-None-Match', headers['if-none-match']);
  return tags === undefined || tags === '*' ? tags : statesOf(tags);
}

function statesOf(tags: readonly EntityTag[]): DraftState[] {
  return tags.flatMap(({ tag, isWeak }) => {
    const [, version, time = ''] = DRAFT.exec(tag) ?? [];
    if (version === undefined) return [];
    return [{ version: Number(version), savedAt: Number.parseInt(time, 36), isWeak }];
  });
}
