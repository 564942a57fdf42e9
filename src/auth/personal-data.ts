import {
  type PersonalData,
  REMOVING,
  type Removal,
  type SectionPage,
  type SectionRequest,
  sectionPage,
} from '../accounts/personal-data.ts';
import { isoTime } from '../domain/time.ts';
import { removeMailsTo } from '../services/mail/outbox.ts';
import { readOperation, writeOperation } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';

/** Sessions removed in one write: some milliseconds. */
const BATCH = 500;
const PAGE = 200;
/** Tables of what waits for an address. */
const CLAIMS = ['pending_registrations', 'invitations', 'email_links'] as const;

/** Removes some sessions of an account, and the personal access tokens that belong to them. */
export const removeSessionsOf = writeOperation(
  'auth.remove_sessions_of',
  async (db, { userId }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, REMOVING);
    const some = db.selectFrom('sessions').select('id').where('user_id', '=', userId).limit(BATCH);
    const removed = await db.deleteFrom('sessions').where('id', 'in', some).returning('id').execute();
    return removed.length === BATCH;
  },
  { isBackground: true },
);

/**
 * Removes what waits for the address of an account, in any spelling: registrations and invitations of it, changes to it,
 * and their mails.
 */
export const removeClaimsOn = writeOperation(
  'auth.remove_claims_on',
  async (db, { userId }: Removal, engine): Promise<boolean> => {
    await engine.lock(db, REMOVING);
    const address = db.selectFrom('users').select('email_key').where('id', '=', userId);
    const claimsOn = (table: (typeof CLAIMS)[number]) =>
      db.deleteFrom(table).where('email_key', '=', address).returning('email');
    for (const table of CLAIMS)
      for (const { email } of await claimsOn(table).execute()) await removeMailsTo(db, email);
    return false;
  },
  { isBackground: true },
);

/** Sessions and personal access tokens, those too that have ended. */
export const exportSessions = readOperation(
  'auth.export_sessions',
  async (db, { userId, after: [after = ''] }: SectionRequest): Promise<SectionPage> => {
    const rows = await db
      .selectFrom('sessions')
      .leftJoin('personal_tokens', 'personal_tokens.session_id', 'sessions.id')
      .select(['id', 'device', 'address', 'scope', 'last_used_at', 'ended_because'])
      .select((eb) => eb.fn.coalesce('name', 'label').as('name'))
      .select(['created_at', 'rotated_at', 'idle_expires_at', 'absolute_expires_at', 'ended_at'])
      .where('user_id', '=', userId)
      .where('id', '>', String(after))
      .orderBy('id')
      .limit(PAGE + 1)
      .execute();
    return sectionPage(rows, PAGE, { toItem: withTimes, cursorOf: ({ id }) => [id] });
  },
);

/** What is little: links and names are bounded for each account, and so are its passkeys and invitations. */
function exportFew<Row extends Readonly<Record<string, string | number | null>>>(
  name: string,
  rowsOf: (db: Db, userId: number) => Promise<Row[]>,
) {
  return readOperation(
    name,
    async (db, { userId }: SectionRequest): Promise<SectionPage> => ({
      items: (await rowsOf(db, userId)).map(withTimes),
    }),
  );
}

/** Without what opens them. */
export const exportResets = exportFew('auth.export_resets', (db, userId) =>
  db.selectFrom('password_resets').select('expires_at').where('user_id', '=', userId).execute(),
);

export const exportEmailLinks = exportFew('auth.export_email_links', (db, userId) =>
  db
    .selectFrom('email_links')
    .select(['kind', 'email', 'expires_at'])
    .where('user_id', '=', userId)
    .execute(),
);

export const exportInvitations = exportFew('auth.export_invitations', (db, userId) =>
  db
    .selectFrom('invitations')
    .select(['email', 'role', 'created_at', 'expires_at'])
    .where('invited_by', '=', userId)
    .execute(),
);

export const exportPasskeys = exportFew('auth.export_passkeys', (db, userId) =>
  db
    .selectFrom('passkeys')
    .select(['name', 'created_at', 'last_used_at'])
    .where('user_id', '=', userId)
    .execute(),
);

export const exportTotp = exportFew('auth.export_totp', (db, userId) =>
  db
    .selectFrom('totp_secrets')
    .select(['created_at', 'confirmed_at'])
    .where('user_id', '=', userId)
    .execute(),
);

export const exportReservedNames = exportFew('auth.export_reserved_names', (db, userId) =>
  db.selectFrom('reserved_names').select(['username', 'free_at']).where('user_id', '=', userId).execute(),
);

/** The row with its times as texts, and without what there is none of. */
function withTimes(row: Readonly<Record<string, string | number | null>>): object {
  const known = Object.entries(row).filter(([, value]) => value !== null);
  return Object.fromEntries(
    known.map(([name, value]) => [name, typeof value === 'number' ? isoTime(value) : value]),
  );
}

export const authPersonalData: PersonalData = {
  removals: [removeSessionsOf, removeClaimsOn],
  sections: [
    {
      name: 'sessions',
      description:
        'Sessions, and personal access tokens, which have a scope; a name, where the owner gave one. Of those that ended, the last fifty stay for some weeks.',
      tables: ['sessions', 'personal_tokens'],
      read: exportSessions,
    },
    {
      name: 'password_resets',
      description: 'Links to choose a new password by that were mailed and are still good.',
      tables: ['password_resets'],
      read: exportResets,
    },
    {
      name: 'email_links',
      description:
        'Links to prove, change or take back the e-mail address that were mailed and are still good.',
      tables: ['email_links'],
      read: exportEmailLinks,
    },
    {
      name: 'invitations',
      description: 'Whom the account has invited.',
      tables: ['invitations'],
      read: exportInvitations,
    },
    {
      name: 'passkeys',
      description: 'Passkeys, without their keys.',
      tables: ['passkeys'],
      read: exportPasskeys,
    },
    {
      name: 'totp',
      description: 'Authenticator apps, without their secrets: one that is on, and one that was begun.',
      tables: ['totp_secrets'],
      read: exportTotp,
    },
    {
      name: 'reserved_names',
      description: 'User names that were given up, and when others may have them.',
      tables: ['reserved_names'],
      read: exportReservedNames,
    },
  ],
};
