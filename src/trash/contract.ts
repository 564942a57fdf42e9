import { type Static, Type } from 'typebox';
import { ContentListItem, toListItem } from '../content/contract.ts';
import { isoTime } from '../domain/time.ts';
import { PageOf } from '../http/paging.ts';
import { UserReference } from '../sessions/contract.ts';
import type { TrashedRow } from './list.ts';

/** The name of an item in a 404. */
export const NOUN = 'content item in the trash';

const TrashedItem = Type.Object(
  {
    ...ContentListItem.properties,
    trashed_at: Type.String({ format: 'date-time', description: 'When it was moved to the trash.' }),
    trashed_by: UserReference,
    purge_at: Type.String({ format: 'date-time', description: 'When it is deleted for good.' }),
  },
  { $id: 'TrashedItem', description: 'A content item in the trash, as a list has it.' },
);

export const TrashPage = PageOf('TrashPage', TrashedItem, 'What was moved there last is first');

/** `keptMs` is how long an item stays in the trash. */
export function toTrashedItem(row: TrashedRow, keptMs: number): Static<typeof TrashedItem> {
  return {
    ...toListItem(row),
    trashed_at: isoTime(row.trashed_at),
    trashed_by: { id: row.trashed_by_id, username: row.trashed_by_name },
    purge_at: isoTime(row.trashed_at + keptMs),
  };
}
