import type { Generated } from 'kysely';
import type { FeatureTables } from '../../store/tables.ts';

declare module '../../store/announcements.ts' {
  interface Topics {
    /** Committed changes have got their numbers: the highest number. Only PostgreSQL announces this. */
    changes: number;
  }
}

declare module '../../store/tables.ts' {
  interface Tables {
    changes: Changed & { number: number };
    /** Changes that wait for their numbers, in the order of their sequence. */
    unnumbered_changes: Changed & { place: Generated<number> };
    change_readers: { name: string; number: number; seen_at: number };
  }
}

/** What may be told of a committed change. */
export const CHANGE_EVENTS = [
  'content.created',
  'content.updated',
  'content.trashed',
  'content.restored',
  'content.purged',
  'content.published',
  'user.created',
  'user.updated',
  'user.removed',
] as const;
export type ChangeEvent = (typeof CHANGE_EVENTS)[number];

/** The reasons for its columns are in src/schema/0030_changes.ts. */
interface Changed {
  event: ChangeEvent;
  item_id: number | null;
  account_id: number | null;
  version: number | null;
  owner_id: number;
  actor_id: number | null;
  audience: 'all' | 'owner';
  at: number;
}

export const changeTables: FeatureTables = {
  carried: ['changes', 'unnumbered_changes', 'change_readers'],
  derived: [],
};
