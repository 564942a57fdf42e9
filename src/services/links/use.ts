import { Failure } from '../../domain/failure.ts';
import type { Origin } from '../../domain/origin.ts';
import { type Engine, readOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import { takeLink } from './links.ts';
import type { Carries, Purpose } from './purposes.ts';

interface Use {
  readonly tokenHash: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A link of a mail as a request sends it: the hash of its token, and where the request came from. */
export interface LinkUse extends Use {
  readonly origin: Origin;
}

/**
 * Fails with `link_invalid` where there is no such link of one of the purposes. Asked before a write that waits for a
 * lock, so that an invented token waits for none; the write decides.
 */
export const requireLink = readOperation(
  'links.require_link',
  async (
    db,
    { tokenHash, now, purposes }: Use & { readonly purposes: readonly Purpose[] },
  ): Promise<void> => {
    const link = await db
      .selectFrom('links')
      .select('id')
      .where('token_hash', '=', tokenHash)
      .where('purpose', 'in', purposes)
      .where('expires_at', '>', now)
      .executeTakeFirst();
    if (!link) throw linkInvalid();
  },
);

/**
 * Locks the account of a link, before its rows and before what all links share: its other writes may take a while. An
 * account that has the address of the link may lose it, so that is locked too, in one order for all writes.
 */
export async function lockAccountsOf(db: Db, tokenHash: string, engine: Engine): Promise<void> {
  const accounts = await db
    .selectFrom('links')
    .innerJoin('users', (join) =>
      join.on((eb) =>
        eb.or([
          eb('users.id', '=', eb.ref('links.user_id')),
          eb('users.email_key', '=', eb.ref('links.email_key')),
        ]),
      ),
    )
    .select('users.id')
    .where('links.token_hash', '=', tokenHash)
    .orderBy('users.id')
    .execute();
  for (const { id } of accounts) await engine.lock(db, `account ${id}`);
}

/** Uses a link up. Fails with `link_invalid`. If the write fails later, the link stays valid. */
export async function useLink<P extends Purpose>(db: Db, purpose: P, { tokenHash, now }: Use) {
  const link = await takeLink(db, purpose, { token_hash: tokenHash }, now);
  if (!link) throw linkInvalid();
  return link;
}

/**
 * Uses up the link of an account, and locks the account until the write ends. Fails with `link_invalid`, also if the
 * account is disabled.
 */
export async function useAccountLink(db: Db, purpose: Exclude<Purpose, keyof Carries>, use: Use) {
  const { user_id, ...link } = await useLink(db, purpose, use);
  const account =
    user_id !== null &&
    (await db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'email_key', 'email_verified_at'])
      .where('id', '=', user_id)
      .where('disabled_at', 'is', null)
      .forNoKeyUpdate()
      .executeTakeFirst());
  if (!account) throw linkInvalid();
  return { ...link, account };
}

/** One failure for a link that was used, is too old or never existed, so that guessing learns nothing. */
export function linkInvalid(): Failure {
  const message = 'This link was used already or is too old; ask for a new one.';
  return new Failure({ error: 'link_invalid', message });
}
