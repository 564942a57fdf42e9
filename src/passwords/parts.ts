import type { Notice } from '../domain/notice.ts';
import type { Attempts } from '../services/limits/attempts.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';
import type { HashingPool } from './hashing/pool.ts';

/** What the verbs of passwords work with. */
export interface PasswordParts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly hashing: HashingPool;
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  /** Tells the operator what failed after its answer. */
  readonly notice: Notice;
  /** Sign-ins under way. */
  readonly attempts: Attempts;
  /** Common passwords that nobody may choose, folded. */
  readonly passwordBlocklist: ReadonlySet<string>;
}
