import { sql } from 'kysely';
import { writeOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { removeMailsTo } from '../mail/outbox.ts';
import { exportFew, type PersonalData, type Removal } from '../personal-data.ts';

/**
 * Removes the links to the address of an account, in any spelling, and the mails to it. They belong to other people's
 * registrations, invitations and changes. The undo link of another account stays, or a thief could end it by removing an
 * account of their own.
 */
export const removeClaimsOn = writeOperation(
  'links.remove_claims_on',
  async (db, { userId }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, 'removing accounts');
    const address = db.selectFrom('users').select('email_key').where('id', '=', userId);
    const claims = db
      .deleteFrom('links')
      .where('email_key', '=', address)
      .where((eb) => eb.or([eb('purpose', '!=', 'revert_email'), eb('user_id', '=', userId)]));
    const emails = (await claims.returning('email').execute()).map(({ email }) => email);
    for (const email of new Set(emails)) await removeMailsTo(db, email);
    return false;
  },
  { isBackground: true },
);

/** Without the tokens. */
export const exportResets = exportFew('links.export_resets', (db, userId) =>
  linksOf(db, userId).select('expires_at').where('purpose', '=', 'reset_password').execute(),
);

/** The section uses the names in the paths of their operations: `verify`, `change` and `revert`. */
export const exportEmailLinks = exportFew('links.export_email_links', (db, userId) =>
  linksOf(db, userId)
    .select((eb) => eb.fn<string>('replace', ['purpose', sql.lit('_email'), sql.lit('')]).as('kind'))
    .select(['email', 'expires_at'])
    .where('purpose', 'in', ['verify_email', 'change_email', 'revert_email'])
    .execute(),
);

function linksOf(db: Db, userId: number) {
  return db.selectFrom('links').where('user_id', '=', userId);
}

export const linkPersonalData: PersonalData = {
  removals: [removeClaimsOn],
  sections: [
    {
      name: 'password_resets',
      description: 'Mailed links to choose a new password that still work.',
      tables: ['links'],
      read: exportResets,
    },
    {
      name: 'email_links',
      description: 'Mailed links to prove, change or restore the e-mail address that still work.',
      tables: ['links'],
      read: exportEmailLinks,
    },
  ],
};
