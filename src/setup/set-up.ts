import { hasAdmin, lockAdmins } from '../accounts/admins.ts';
import { makeAccount } from '../accounts/create.ts';
import type { UserRow } from '../accounts/tables.ts';
import { strangerAsker } from '../domain/admission/fair-queue.ts';
import type { Origin } from '../domain/origin.ts';
import { hashOfToken } from '../domain/token-hash.ts';
import type { PasswordParts } from '../passwords/parts.ts';
import { type Applicant, applicantOf, type Registration } from '../registrations/register.ts';
import { linkInvalid } from '../services/links/use.ts';
import { readOperation, writeOperation } from '../store/operation.ts';

interface Use {
  readonly tokenHash: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Can this link make the first admin? False once there is an admin. Asked by the page that the link opens, and before a
 * password is hashed; the write decides.
 */
export const hasSetupLink = readOperation(
  'setup.has_link',
  async (db, { tokenHash, now }: Use, engine): Promise<boolean> => {
    const link = await db
      .selectFrom('setup_links')
      .select('token_hash')
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    return link !== undefined && !(await hasAdmin.run(db, null, engine));
  },
);

/**
 * Makes the first admin, and ends all links. The operator vouches for the address. Fails with `link_invalid`, also where
 * there is an admin already, and with `taken`: the link stays good then.
 */
export const makeFirstAdmin = writeOperation(
  'setup.make_first_admin',
  async (db, input: Applicant & Use & { readonly origin: Origin }, engine): Promise<UserRow> => {
    await lockAdmins(db, engine);
    const { username, email, passwordHash, given, now, origin } = input;
    if (!(await hasSetupLink.run(db, input, engine))) throw linkInvalid();
    await db.deleteFrom('setup_links').execute();
    const account = { username, email, passwordHash, given, role: 'admin', emailVerifiedAt: now } as const;
    return makeAccount(db, { ...account, now, origin });
  },
  { askerOf: strangerAsker, turns: 'exclusive' },
);

/** Fails as `makeFirstAdmin`, and with `validation_failed` for a password that others would guess. */
export async function setUp(
  parts: PasswordParts,
  { token, ...registration }: Registration & { readonly token: string },
  origin: Origin,
): Promise<UserRow> {
  const use = { tokenHash: hashOfToken(token), now: parts.clock() };
  if (!(await parts.store.read(hasSetupLink, use))) throw linkInvalid();
  const applicant = await applicantOf(parts, registration, origin);
  return parts.store.write(makeFirstAdmin, { ...applicant, ...use, now: parts.clock(), origin });
}
