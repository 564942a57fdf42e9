import { tellOwner } from '../accounts/tell-owner.ts';
import type { Caller } from '../domain/account.ts';
import type { Origin } from '../domain/origin.ts';
import type { MfaRequired } from '../domain/second-factor.ts';
import { recordEvent } from '../services/audit/record.ts';
import type { CallerInput } from '../sessions/caller-write.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** The input of each write by which owners change their second factors. */
export interface OwnChange extends CallerInput {
  readonly sendsMail: boolean;
  readonly origin: Origin;
}

export interface OwnRemoval extends OwnChange {
  readonly mfaRequired: MfaRequired;
}

/** An event, and the mail of the same name. */
type Change =
  | 'totp_enabled'
  | 'totp_disabled'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_created';

/** Records what the caller changed, and tells the caller by mail, at the end of the write. */
export async function noteOwnChange(
  db: Db,
  change: Change,
  { sendsMail, now, origin }: OwnChange,
  { userId, sessionId }: Caller,
  engine: Engine,
): Promise<void> {
  const who = { accountId: userId, actorId: userId, sessionId };
  await recordEvent(db, { event: change, at: now, origin, ...who });
  await tellOwner(db, { userId, template: change, sendsMail, now, origin }, engine);
}
