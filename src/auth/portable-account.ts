import type { Role } from '../domain/account.ts';

/** An account as an import and an export have it: without an id, sessions and content. */
export interface PortableAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: Role;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly isDisabled: boolean;
  /** Did somebody prove the address? False where nothing is said. */
  readonly isEmailVerified?: boolean;
}
