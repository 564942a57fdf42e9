import { recordEvent } from '../services/audit/record.ts';
import type { Db } from '../store/tables.ts';

/** What was mended, or what could not be, with the reason, in one sentence. */
export interface Repair {
  readonly state: 'done' | 'refused';
  readonly says: string;
}

/** Collects the repairs. */
export type Say = (state: Repair['state'], says: string) => void;

/** In the trail. */
export function noteRepair(db: Db, what: string): Promise<void> {
  return recordEvent(db, { event: 'data_repaired', at: Date.now(), origin: null, detail: { what } });
}
