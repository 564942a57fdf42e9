import type { RegistrationMode } from '../domain/account.ts';
import type { FactorParts } from '../factors/parts.ts';
import type { PasswordParts } from '../passwords/parts.ts';
import type { SessionParts } from '../sessions/parts.ts';

/** What the ways to sign in work with. */
export interface SignInParts extends SessionParts, PasswordParts, FactorParts {
  readonly config: { readonly deletionDays: number; readonly trashDays: number };
  readonly registration: RegistrationMode;
  /** Does an account sign in only after its address was proved? */
  readonly requiresProof: boolean;
}
