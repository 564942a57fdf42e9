import type { RegistrationMode } from '../domain/account.ts';
import type { PasswordParts } from '../passwords/parts.ts';

/** What the verbs of registrations work with. */
export interface RegistrationParts extends PasswordParts {
  readonly registration: RegistrationMode;
  /** Does an account sign in only after its address was proved? */
  readonly requiresProof: boolean;
}
