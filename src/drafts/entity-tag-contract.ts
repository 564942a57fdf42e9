import { onlyIfOf } from '../content/entity-tag-contract.ts';
import type { Epoch } from '../domain/epoch.ts';
import { type EntityTag, entityTags, shapeOf, type TaggedRequest } from '../http/entity-tags.ts';
import { ContentDraft } from './contract.ts';
import type { TaggedDraft } from './find.ts';
import type { DraftOnlyIf, DraftState } from './precondition.ts';

const SHAPE = shapeOf(ContentDraft);
/** Tags of version 0.2.0 end after the time. */
const DRAFT = /^"draft-([1-9]\d{0,15})-([0-9a-z]{1,11})(?:"|-([\w-]{6})\.)/;

/**
 * The entity tag of a draft: its version, when it was saved, the epoch of the database, and what else its answer shows. That
 * is the item, whose members it has where it has no others, and the name of who saved it. It never looks like the tag of an
 * item.
 */
export function draftTagOf(epoch: Epoch, draft: TaggedDraft): string {
  const { version, saved_at, item_version, item_updated_at, saved_by, saver_name } = draft;
  const item = `${item_version}-${item_updated_at.toString(36)}`;
  const saver = `${saved_by}.${encodeURIComponent(saver_name)}`;
  return `"draft-${version}-${saved_at.toString(36)}-${epoch.name}.${item}-${SHAPE}.${saver}"`;
}

/**
 * The states of the item and of its draft that the If-Match of a request names. Of the tag of a draft only the version and
 * its time count. Fails with `malformed_request`.
 */
export function draftOnlyIfOf(request: TaggedRequest): DraftOnlyIf {
  const tags = entityTags('If-Match', request.headers['if-match']);
  if (tags === undefined || tags === '*') return { item: undefined, draft: undefined };
  return { item: onlyIfOf(request), draft: statesOf(request, tags) };
}

/** The drafts that the If-None-Match of a request names; '*' stands for any. Fails with `malformed_request`. */
export function draftNoneOf(request: TaggedRequest): DraftOnlyIf['noneOf'] {
  const tags = entityTags('If-None-Match', request.headers['if-none-match']);
  return tags === undefined || tags === '*' ? tags : statesOf(request, tags);
}

function statesOf({ server: { epoch } }: TaggedRequest, tags: readonly EntityTag[]): DraftState[] {
  return tags.flatMap(({ tag, isWeak }) => {
    const [, version, time = '', named] = DRAFT.exec(tag) ?? [];
    const savedAt = Number.parseInt(time, 36);
    if (version === undefined || !epoch.isMeant(named, savedAt)) return [];
    return [{ version: Number(version), savedAt, isWeak }];
  });
}
