import { signInAsker } from '../../domain/admission/fair-queue.ts';
import { Failure } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { writeOperation } from '../../store/operation.ts';
import type { Store } from '../../store/store.ts';
import { recordEvent } from '../audit/record.ts';
import type { Queueing } from '../mail/queue.ts';
import type { Sealing } from '../sealing/sealing.ts';
import { mailProof, type OwnLink } from './own.ts';
import { newLink } from './token.ts';

type Mailed = Queueing | 'proved';

/**
 * Mails a link that proves the address of the account, and returns why not where no mail is queued. The sign-in that
 * stops there leaves an event in each case.
 */
export const requestVerification = writeOperation(
  'links.request_verification',
  async (db, request: OwnLink & { readonly origin: Origin }, engine): Promise<Mailed> => {
    const mailed = await mailProof(db, request, engine);
    if (mailed === 'queued') return mailed;
    const { now: at, origin, userId: accountId } = request;
    const detail = { because: 'email_not_verified' };
    await recordEvent(db, { event: 'proof_accepted', at, origin, accountId, detail });
    return mailed;
  },
  { askerOf: signInAsker, turns: 'exclusive' },
);

interface Verifying {
  readonly store: Store;
  readonly sealing: Sealing;
  readonly requiresProof: boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/**
 * Called by every way to sign in, after the proof of the account and before its session begins. If addresses have to be
 * proved and this one is not, mails a link and fails with `email_not_verified`.
 */
export async function requireProvenAddress(
  parts: Verifying,
  account: { readonly id: number; readonly email_verified_at: number | null },
  origin: Origin,
): Promise<void> {
  if (!parts.requiresProof || account.email_verified_at !== null) return;
  const link = newLink(parts.sealing, 'verify_email');
  const request = { userId: account.id, link, now: parts.clock(), origin };
  const mailed = await parts.store.write(requestVerification, request);
  throw new Failure({ error: 'email_not_verified', message: whatToDo(mailed) });
}

/** Only a person who has proved the account reads this. */
function whatToDo(mailed: Mailed): string {
  switch (mailed) {
    case 'queued':
      return 'Your e-mail address is not proved yet; follow the link that was mailed to it.';
    case 'no_address':
      return 'Your account has no e-mail address any more; ask an admin of this service to give it one.';
    default:
      return 'Your e-mail address is not proved yet, and no mail could be sent to it now; follow an earlier one, or try again later.';
  }
}
