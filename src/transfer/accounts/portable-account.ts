import type { ImportedColumns } from '../../accounts/fields.ts';
import type { Role } from '../../domain/account.ts';

/** An account in an import or an export, without id, sessions and content. */
export interface PortableAccount {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly role: Role;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly isDisabled: boolean;
  /** True if the owner proved the address. Left out means false. */
  readonly isEmailVerified?: boolean;
  /** Values of all other fields that a line may have. */
  readonly given?: ImportedColumns;
}
