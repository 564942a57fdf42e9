import { CONTENT_FIELDS } from '../content/fields.ts';
import { isoTime } from '../domain/time.ts';
import { bodyOf } from '../store/fields.ts';
import { columnsOf, type SavedDraft } from './find.ts';

const membersOf = bodyOf(CONTENT_FIELDS, 'author');

/** What a draft has otherwise than its item, and when, by the names of the members. */
export function membersOfDraft({
  publish_at,
  saved_at,
  ...draft
}: Pick<SavedDraft, 'written' | 'publish_at' | 'saved_at'>): Readonly<Record<string, unknown>> {
  return {
    ...membersOf(columnsOf(draft)),
    ...(publish_at !== null && { publish_at: isoTime(publish_at) }),
    saved_at: isoTime(saved_at),
  };
}
