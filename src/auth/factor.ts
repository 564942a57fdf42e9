import type { SecondFactor } from '../domain/second-factor.ts';
import type { Db } from '../store/tables.ts';
import type { PasskeyProof } from './passkeys/use.ts';

/** What each kind of factor leaves for the write to check, after all that can be checked without the database. */
export interface Proofs {
  readonly totp: { readonly secretId: string; readonly step: number };
  readonly passkey: PasskeyProof;
  readonly recovery_code: { readonly codeHash: string };
}
export type Proof<Kind extends SecondFactor = SecondFactor> = {
  [Each in Kind]: { readonly kind: Each } & Proofs[Each];
}[Kind];

/** One kind of second factor, as the database has it. */
export interface Factor<Kind extends SecondFactor> {
  /** False for what only stands in for another factor: an account that has nothing else has no second factor. */
  readonly standsAlone: boolean;
  readonly isSetUp: (db: Db, userId: number) => Promise<boolean>;
  /** Uses the proof up, inside the write that it lets through. False where it is none: of two uses at once, one passes. */
  readonly use: (db: Db, userId: number, proof: Proofs[Kind]) => Promise<boolean>;
  /** Removes what was set up from that moment on, in milliseconds since 1970; what only stands in has no time, and goes. */
  readonly remove: (db: Db, userId: number, since: number) => Promise<void>;
}
