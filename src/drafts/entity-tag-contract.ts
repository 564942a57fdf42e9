import type { IncomingHttpHeaders } from 'node:http';
import { onlyIfOf } from '../content/entity-tag-contract.ts';
import { type EntityTag, entityTags } from '../http/entity-tags.ts';
import type { DraftOnlyIf, DraftState } from './precondition.ts';

const DRAFT = /^"draft-([1-9]\d{0,15})-([0-9a-z]{1,11})"$/;

/** The entity tag of a draft: its version, and when it was saved. It never looks like the tag of an item. */
export function draftTagOf({
  version,
  saved_at,
}: {
  readonly version: number;
  readonly saved_at: number;
}): string {
  return `"draft-${version}-${saved_at.toString(36)}"`;
}

/** The states of the item and of its draft that the If-Match of a request names. Fails with `malformed_request`. */
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
