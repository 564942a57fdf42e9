import { makeAccount } from '../accounts/create.ts';
import type { UserRow } from '../accounts/tables.ts';
import { strangerAsker } from '../domain/admission/fair-queue.ts';
import { invalid } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import { foldKey } from '../domain/text.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import { livingInvitations } from '../invitations/list.ts';
import { type LinkUse, linkInvalid, useLink } from '../services/links/use.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { RegistrationParts } from './parts.ts';
import { type Applicant, applicantOf, type Registration } from './register.ts';

/** Fails with `link_invalid`. Asked before a password is hashed, too; the write decides. */
export const requireInvitation = readOperation(
  'registrations.require_invitation',
  async (db, { tokenHash, now }: Pick<LinkUse, 'tokenHash' | 'now'>): Promise<void> => {
    const invitation = livingInvitations(db, now).select('links.id').where('token_hash', '=', tokenHash);
    if (!(await invitation.executeTakeFirst())) throw linkInvalid();
  },
);

/**
 * Uses the invitation up and makes the account, with the role of the invitation and with its address, which is proved by the
 * link. Fails with `link_invalid`, with `taken`, or with `validation_failed` for an address that was not invited. The
 * invitation stays good then.
 */
export const acceptInvitation = writeOperation(
  'registrations.accept_invitation',
  async (db, input: Applicant & LinkUse, engine): Promise<UserRow> => {
    const { username, passwordHash, given, now, origin } = input;
    await requireInvitation.run(db, input, engine);
    const { id, email, email_key, carries } = await useLink(db, 'invite', input);
    if (foldKey(input.email) !== email_key) {
      const message = 'The invitation is for another e-mail address.';
      throw invalid([{ field: 'email', rule: 'invitation', message }]);
    }
    const account = { username, email, passwordHash, role: carries.role, given, emailVerifiedAt: now };
    return makeAccount(db, { ...account, now, origin, detail: { invitation: String(id) } });
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

/** Registers a person who was invited. Fails as `acceptInvitation` and `applicantOf`. */
export async function registerInvited(
  parts: RegistrationParts,
  { invitation, ...registration }: Registration & { readonly invitation: string },
  origin: Origin,
): Promise<UserRow> {
  const tokenHash = hashOfToken(invitation);
  await parts.store.read(requireInvitation, { tokenHash, now: parts.clock() });
  const applicant = await applicantOf(parts, registration, origin);
  return parts.store.write(acceptInvitation, { ...applicant, tokenHash, now: parts.clock(), origin });
}
