import { strangerAsker } from '../../domain/admission/fair-queue.ts';
import { ROW_LIMITS } from '../../domain/limits.ts';
import type { Origin } from '../../domain/origin.ts';
import { writeOperation } from '../../store/operation.ts';
import { recordBounded } from './slots.ts';

interface FailedSignIn {
  /** `sign_in_locked` is the last free mistake. */
  readonly event?: 'sign_in_failed' | 'sign_in_locked' | 'second_factor_failed' | 'passkey_refused';
  /** A short reason of ours, where there are several. */
  readonly because?: string;
  /** Null if no account has the name. The name itself is never stored, because people type passwords there. */
  readonly accountId: number | null;
  readonly at: number;
  readonly origin: Origin;
}

/**
 * Records a failed sign-in in a write of its own, because the sign-in changes nothing else. The number of rows is
 * bounded. Failures of accounts and of unknown names are counted separately, so that a flood of one kind hides nothing
 * of the other.
 */
export const recordFailedSignIn = writeOperation(
  'audit.record_failed_sign_in',
  async (db, { event = 'sign_in_failed', because, accountId, at, origin }: FailedSignIn): Promise<void> => {
    const what = because === undefined ? event : `${event}/${because}`;
    const rest = { event, at, origin: null, detail: because === undefined ? {} : { because } };
    const bound = {
      kind: `${what} ${accountId === null ? 'nobody' : 'account'}`,
      who: `${origin.source} ${accountId ?? '-'}`,
      most: ROW_LIMITS.failedSignIns,
    };
    await recordBounded(db, { ...rest, origin, ...(accountId !== null && { accountId }) }, bound, rest);
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);
