import type { MfaRequired } from '../domain/second-factor.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';
import type { Challenges } from './passkeys/challenges.ts';
import type { RelyingParty } from './passkeys/relying-party.ts';

/** What the verbs of second factors and passkeys work with. */
export interface FactorParts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  readonly passkeys: {
    /** Undefined where PUBLIC_URL allows no passkeys. */
    readonly relyingParty: RelyingParty | undefined;
    readonly challenges: Challenges;
  };
  /** Which accounts must have a second factor. */
  readonly mfaRequired: MfaRequired;
  /** The name of the service, as authenticator apps show it. */
  readonly serviceName: string;
}
