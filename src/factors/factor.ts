import type { SecondFactor } from '../domain/second-factor.ts';
import type { Db } from '../store/tables.ts';
import type { OpenedChallenge } from './passkeys/challenges.ts';

/** What each kind of factor leaves for the write to check, after all that can be checked without the database. */
export interface Proofs {
  readonly totp: { readonly secretId: string; readonly step: number };
  readonly passkey: {
    readonly passkeyId: string;
    /** The signature counter of the authenticator. */
    readonly counter: number;
    readonly challenge: OpenedChallenge;
    readonly now: number;
  };
  readonly recovery_code: { readonly codeHash: string };
}
export type Proof<Kind extends SecondFactor = SecondFactor> = {
  [Each in Kind]: { readonly kind: Each } & Proofs[Each];
}[Kind];

/** One kind of second factor, as the database has it. */
export interface Factor<Kind extends SecondFactor> {
  /** False for a substitute. An account that has only substitutes has no second factor. */
  readonly standsAlone: boolean;
  readonly isSetUp: (db: Db, userId: number) => Promise<boolean>;
  /** Uses the proof up, inside the write that needs it. False for a bad proof. Of two uses at once, one passes. */
  readonly use: (db: Db, userId: number, proof: Proofs[Kind]) => Promise<boolean>;
  /**
   * Removes what was set up since that moment, in milliseconds since 1970. Recovery codes have no date, and are always
   * removed.
   */
  readonly remove: (db: Db, userId: number, since: number) => Promise<void>;
}
