import { ROW_LIMITS } from '../../domain/limits.ts';
import { foldKey } from '../../domain/text.ts';
import { hasRows } from '../../store/pages.ts';
import type { Db } from '../../store/tables.ts';
import type { TemplateName } from './templates.ts';

/**
 * Whose address a mail is for. `named`: the person who caused the mail typed it. `unproved`: an account has it, but
 * nobody proved it. `proved`: it can be relied on.
 */
export type AddressKind = 'named' | 'unproved' | 'proved';

/** With the first number of waiting mails, none is queued to a named address, and with the second none at all. */
export const FULL_FROM = {
  accounts_only: ROW_LIMITS.mails.named.inAll,
  full: ROW_LIMITS.mails.proved.inAll,
} as const;

/**
 * Mails to people who have no account at the address. `registration_attempted` is for an account, and is here too: what
 * is counted must not reveal whether there is one.
 */
const TO_NAMED: ReadonlySet<TemplateName> = new Set([
  'registration',
  'registration_attempted',
  'email_change',
]);

interface Addressed {
  readonly template: TemplateName;
  readonly recipient: string;
  readonly addressKind?: AddressKind;
}

/** Whose address the mail is for, which decides how many such mails may wait. */
export async function addressKindOf(
  db: Db,
  { template, recipient, addressKind }: Addressed,
): Promise<AddressKind> {
  if (addressKind) return addressKind;
  if (TO_NAMED.has(template)) return 'named';
  // An admin vouches for the address.
  if (template === 'invitation') return 'proved';
  const account = await db
    .selectFrom('users')
    .select('email_verified_at')
    .where('email_key', '=', foldKey(recipient))
    .executeTakeFirst();
  return account?.email_verified_at ? 'proved' : 'unproved';
}

/** What has no room for one more mail of this kind, or undefined. */
export async function fullFor(
  db: Db,
  kind: AddressKind,
  sourceKey: string | null,
): Promise<'outbox_full' | 'source_full' | undefined> {
  const { inAll, ofSource } = ROW_LIMITS.mails[kind];
  const waiting = db.selectFrom('mails').select('id');
  if (await hasRows(waiting.orderBy('next_attempt_at'), inAll)) return 'outbox_full';
  if (sourceKey === null) return undefined;
  return (await hasRows(waiting.where('source_key', '=', sourceKey), ofSource)) ? 'source_full' : undefined;
}
