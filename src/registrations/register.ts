import { createAccount } from '../accounts/create.ts';
import type { RegisteredColumns } from '../accounts/fields.ts';
import type { Role } from '../domain/account.ts';
import type { Origin } from '../domain/origin.ts';
import { requireUncommon } from '../passwords/rule.ts';
import type { RegistrationParts } from './parts.ts';

export interface Registration {
  readonly username: string;
  readonly email: string;
  readonly password: string;
  /** What the body gave of other fields. */
  readonly given?: RegisteredColumns;
}

/** A registration as its write needs it. */
export interface Applicant {
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly given: RegisteredColumns;
}

/**
 * Hashes the password. A command has no origin, and waits for nobody. Fails with `validation_failed` for a password that
 * others would guess.
 */
export async function applicantOf(
  { hashing, passwordBlocklist }: Pick<RegistrationParts, 'hashing' | 'passwordBlocklist'>,
  { username, email, password, given = {} }: Registration,
  origin: Origin | null,
): Promise<Applicant> {
  requireUncommon(password, { username, email }, passwordBlocklist);
  const from = origin ? { source: origin.source, isKnown: false } : undefined;
  return { username, email, passwordHash: await hashing.hash(password, from), given };
}

/**
 * Registers a member whose address nobody proved. Fails with `taken`, and as `applicantOf`. Where a command does it there is
 * no origin, and the operator vouches for the address.
 */
export async function register(
  parts: Pick<RegistrationParts, 'store' | 'hashing' | 'clock' | 'passwordBlocklist'>,
  registration: Registration,
  origin: Origin | null,
  role: Role = 'member',
) {
  const applicant = await applicantOf(parts, registration, origin);
  const now = parts.clock();
  const account = { ...applicant, role, emailVerifiedAt: origin ? null : now };
  return parts.store.write(createAccount, { ...account, now, origin });
}
