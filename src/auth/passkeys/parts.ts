import { Budget } from '../../services/throttle/budget.ts';
import { Challenges } from './challenges.ts';
import { type RelyingParty, relyingPartyOf } from './relying-party.ts';

/** Uses of a passkey by one source that were refused. Each costs the check of a signature. */
const REFUSED_PER_HOUR = 1_000;

/** What the verbs of passkeys work with. */
export interface PasskeyParts {
  /** Undefined where PUBLIC_URL allows no passkeys. */
  readonly relyingParty: RelyingParty | undefined;
  readonly challenges: Challenges;
  /** Of sign-ins that failed, by source. One that succeeds gives back what it took. */
  readonly refusals: Budget;
}

interface PasskeySettings {
  readonly publicUrl: string | undefined;
  readonly corsOrigins: readonly string[];
}

/** `secret` is that of the tokens: all instances have the same. */
export function openPasskeys({ publicUrl, corsOrigins }: PasskeySettings, secret: Buffer): PasskeyParts {
  return {
    relyingParty: relyingPartyOf(publicUrl, corsOrigins),
    challenges: new Challenges(secret),
    refusals: new Budget(REFUSED_PER_HOUR, 'Too many passkeys were refused; try again later.'),
  };
}
