import { foldKey } from '../../domain/text.ts';
import type { Db } from '../../store/tables.ts';
import type { TemplateName } from './templates.ts';

/**
 * Whose address a mail goes to. `named` is one that the person who asked for the mail has named, `unproved` that of an account
 * which nobody proved, and `proved` one that can be relied on.
 */
export type AddressKind = 'named' | 'unproved' | 'proved';

/**
 * Mails that may wait before one more of the kind finds no room: in all, and of one source. Only a mail server that is away
 * or defers makes so many wait. The last places in all are for accounts, and those of a source for what its owner has to be
 * told, so that nobody fills them with addresses of their own choice.
 */
const MOST_WAITING: Record<AddressKind, { readonly inAll: number; readonly ofSource: number }> = {
  named: { inAll: 5_000, ofSource: 500 },
  unproved: { inAll: 7_500, ofSource: 500 },
  proved: { inAll: 10_000, ofSource: 2_000 },
};
/** From so many waiting mails on, none is queued to an address that was named, and none at all. */
export const FULL_FROM = {
  accounts_only: MOST_WAITING.named.inAll,
  full: MOST_WAITING.proved.inAll,
} as const;

/**
 * Asked for by a person who has no account there. It is the same for `registration_attempted`, which goes to an account: what is
 * counted must not tell whether there is one.
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

/** What has no room for one more mail of the kind; undefined where both have. */
export async function fullFor(
  db: Db,
  kind: AddressKind,
  sourceKey: string | null,
): Promise<'outbox_full' | 'source_full' | undefined> {
  const { inAll, ofSource } = MOST_WAITING[kind];
  const waiting = db.selectFrom('mails').select('id').limit(1);
  if (
    await waiting
      .orderBy('next_attempt_at')
      .offset(inAll - 1)
      .executeTakeFirst()
  )
    return 'outbox_full';
  if (sourceKey === null) return undefined;
  const ofOne = waiting.where('source_key', '=', sourceKey);
  return (await ofOne.offset(ofSource - 1).executeTakeFirst()) ? 'source_full' : undefined;
}
