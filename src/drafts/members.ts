import { CONTENT_FIELDS } from '../content/fields.ts';
import { isoTime } from '../domain/time.ts';
import { membersOfVersion } from '../store/fields.ts';
import { columnsOf, type SavedDraft } from './find.ts';

const membersOf = membersOfVersion(CONTENT_FIELDS, 'author');

/** Members that an item lacks where they are empty. A draft that empties one says so. */
const EMPTY: Readonly<Record<string, unknown>> = { language: '', meta: {} };

/** What a draft has otherwise than its item, and when, by the names of the members. */
export function membersOfDraft({
  publish_at,
  saved_at,
  ...draft
}: Pick<SavedDraft, 'written' | 'publish_at' | 'saved_at'>): Readonly<Record<string, unknown>> {
  const columns = columnsOf(draft);
  const given = Object.entries(membersOf(columns)).filter(([name]) => Object.hasOwn(columns, name));
  return {
    ...Object.fromEntries(given.map(([name, value]) => [name, value ?? EMPTY[name]])),
    ...(publish_at !== null && { publish_at: isoTime(publish_at) }),
    saved_at: isoTime(saved_at),
  };
}
