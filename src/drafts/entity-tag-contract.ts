import type { IncomingHttpHeaders } from 'node:http';
import { onlyIfOf } from '../content/entity-tag-contract.ts';
import { entityTags } from '../http/entity-tags.ts';
import type { DraftOnlyIf } from './precondition.ts';

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
  const draft = tags.flatMap(({ tag, isWeak }) => {
    const [, version, time = ''] = DRAFT.exec(tag) ?? [];
    if (version === undefined || isWeak) return [];
    return [{ version: Number(version), savedAt: Number.parseInt(time, 36) }];
  });
  return { item: onlyIfOf(request), draft };
}
