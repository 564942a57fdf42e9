import { Readable } from 'node:stream';
import { type CallerInput, callerWrite } from '../accounts/caller-write.ts';
import type { Cursor, Section } from '../accounts/personal-data.ts';
import { requireRecentSignIn } from '../accounts/recent-sign-in.ts';
import type { Origin } from '../domain/origin.ts';
import { isoTime } from '../domain/time.ts';
import { recordEvent } from '../services/audit/record.ts';
import { type AccountBudget, perHour, spendBudget } from '../services/throttle/account-budget.ts';
import type { Store } from '../store/store.ts';

/** Bytes that wait in memory for a client that does not read; one page may come to them. */
const WAITING = 64 * 1024;

/** Tables with an account's rows that no section has, and why. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  users: 'The document begins with the account.',
  mails: 'They are on their way to their recipients, and are kept until then.',
  passkey_owners: 'A random name under which authenticators know the account.',
  recovery_codes: 'Hashes of codes alone; the codes are with their owner.',
  second_factor_challenges: 'Sign-ins of the last five minutes that wait for their second factor.',
  username_skeletons: 'It follows from the user name, and says what other names look alike.',
};

/** Each reads all that the account has. */
const EXPORTS: AccountBudget = {
  kind: 'export',
  ...perHour(10),
  message: 'Your account was exported too often; try again later.',
};

interface Beginning extends CallerInput {
  readonly origin: Origin;
}

/** Records that an export begins, and returns the account. Fails with `recent_sign_in_required` and `too_many_requests`. */
export const beginExport = callerWrite(
  'personal_data.begin_export',
  async (db, { now, origin }: Beginning, { userId, sessionId }): Promise<object> => {
    await requireRecentSignIn(db, { sessionId, now });
    const account = await db
      .selectFrom('users')
      .select(['id', 'username', 'email', 'role', 'created_at', 'last_sign_in_at'])
      .select(['display_name', 'profile', 'email_verified_at'])
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    const who = { accountId: userId, actorId: userId, sessionId };
    await recordEvent(db, { event: 'data_exported', at: now, origin, ...who });
    await spendBudget(db, EXPORTS, userId, now);
    const { created_at, last_sign_in_at, display_name, profile, email_verified_at, ...rest } = account;
    return {
      ...rest,
      created_at: isoTime(created_at),
      ...(last_sign_in_at !== null && { last_sign_in_at: isoTime(last_sign_in_at) }),
      ...(email_verified_at !== null && { email_verified_at: isoTime(email_verified_at) }),
      ...(display_name !== null && { display_name }),
      ...(profile !== null && { profile: JSON.parse(profile) as object }),
    };
  },
);

interface Exported {
  readonly userId: number;
  readonly account: object;
  readonly now: number;
  /** Resolves when the next page may be read, and never where nobody waits for the document any more. */
  readonly turn: () => Promise<void>;
}

/**
 * The envelope with the whole document, as bytes. A page is read when the client has taken the one before, so that an
 * export holds little however long it is. Each page has a turn of its own, so that others are served in between. Its
 * sections are as they were when they were read.
 */
export function exportStream(
  store: Store,
  sections: readonly Section[],
  { userId, account, now, turn }: Exported,
): Readable {
  async function* parts(): AsyncGenerator<string> {
    yield `{"code":200,"data":{"exported_at":"${isoTime(now)}","account":${JSON.stringify(account)}`;
    for (const { name, read } of sections) {
      yield `,${JSON.stringify(name)}:[`;
      let separator = '';
      for (let after: Cursor | undefined = []; after; ) {
        await turn();
        const page: Awaited<ReturnType<typeof read.run>> = await store.read(read, { userId, after });
        if (page.items.length > 0) {
          yield separator + page.items.map((item) => JSON.stringify(item)).join(',');
          separator = ',';
        }
        after = page.next;
      }
      yield ']';
    }
    yield '}}';
  }
  return Readable.from(parts(), { objectMode: false, highWaterMark: WAITING });
}
