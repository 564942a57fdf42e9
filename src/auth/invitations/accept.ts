import type { UserRow } from '../../accounts/tables.ts';
import { invalid } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { foldKey } from '../../domain/text.ts';
import { hashOfToken } from '../../domain/token-hash.ts';
import { readOperation, writeOperation } from '../../store/operation.ts';
import { linkInvalid } from '../email/links.ts';
import type { AuthParts } from '../parts.ts';
import { requireUncommon } from '../password-rule.ts';
import { hashForStranger, makeAccount, type Registration } from '../register.ts';
import { livingInvitations } from './living.ts';

/** Is the invitation good? Asked before a password is hashed; the write decides. */
export const isInvitationGood = readOperation(
  'auth.is_invitation_good',
  async (db, { tokenHash, now }: { tokenHash: string; now: number }): Promise<boolean> =>
    (await livingInvitations(db, now).where('token_hash', '=', tokenHash).executeTakeFirst()) !== undefined,
);

interface Acceptance {
  readonly tokenHash: string;
  readonly username: string;
  readonly email: string;
  readonly passwordHash: string;
  readonly now: number;
  readonly origin: Origin;
}

/**
 * Uses the invitation up and makes the account, with its role and its address, which is proved by the link. Undefined
 * where the invitation is of no use. Fails with `taken`, or with `validation_failed` for an address that was not invited:
 * the invitation is good as before then.
 */
export const acceptInvitation = writeOperation(
  'auth.accept_invitation',
  async (db, input: Acceptance): Promise<UserRow | undefined> => {
    const { tokenHash, username, passwordHash, now, origin } = input;
    const invitation = await db
      .deleteFrom('invitations')
      .where('token_hash', '=', tokenHash)
      .where('id', 'in', livingInvitations(db, now))
      .returning(['id', 'email', 'email_key', 'role'])
      .executeTakeFirst();
    if (!invitation) return undefined;
    const { id, email, email_key, role } = invitation;
    if (foldKey(input.email) !== email_key) {
      const message = 'The invitation is for another e-mail address.';
      throw invalid([{ field: 'email', rule: 'invitation', message }]);
    }
    const account = { username, email, passwordHash, role, emailVerifiedAt: now };
    return makeAccount(db, { ...account, now, origin, detail: { invitation: String(id) } });
  },
);

/** Registers whoever was invited. Fails as `acceptInvitation`, or with `link_invalid`. */
export async function registerInvited(
  parts: AuthParts,
  { username, email, password, invitation }: Registration & { readonly invitation: string },
  origin: Origin,
): Promise<UserRow> {
  const tokenHash = hashOfToken(invitation);
  if (!(await parts.store.read(isInvitationGood, { tokenHash, now: parts.clock() }))) throw linkInvalid();
  requireUncommon(password, { username, email }, parts.passwordBlocklist);
  const passwordHash = await hashForStranger(parts.hashing, password, origin);
  const acceptance = { tokenHash, username, email, passwordHash, now: parts.clock(), origin };
  const user = await parts.store.write(acceptInvitation, acceptance);
  if (!user) throw linkInvalid();
  return user;
}
