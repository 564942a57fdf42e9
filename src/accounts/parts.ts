import type { FairQueue } from '../domain/admission/fair-queue.ts';
import type { Cursors } from '../domain/cursors.ts';
import type { Section } from '../services/personal-data.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';

/** What the verbs of accounts work with. */
export interface AccountParts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sealing: Sealing;
  readonly searches: FairQueue;
  readonly cursors: Cursors;
  /** What an export has. */
  readonly sections: readonly Section[];
  /** From the closing of an account by its owner to its removal. */
  readonly graceMs: number;
  readonly sendsMail: boolean;
  /** Who may list users. */
  readonly usersList: 'members' | 'admins';
}
