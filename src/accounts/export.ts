import { Readable } from 'node:stream';
import { byCaller } from '../domain/by.ts';
import { isoTime } from '../domain/time.ts';
import { recordChange } from '../services/audit/record.ts';
import { spend } from '../services/limits/shared.ts';
import type { Cursor, Section } from '../services/personal-data.ts';
import { type Asked, callerWrite } from '../sessions/caller-write.ts';
import { requireRecentSignIn } from '../sessions/recent-sign-in.ts';
import type { Store } from '../store/store.ts';
import { exportedAccount } from './fields.ts';

/** Bytes that wait in memory for a client that does not read; one page may come to them. */
const WAITING = 64 * 1024;

/** Tables with an account's rows that no section has, and why. */
export const NOT_EXPORTED: Readonly<Record<string, string>> = {
  content_imports: 'Hashes of the files that an operator imported items from.',
  content_old_slugs:
    'Names in URLs that items had before, made of titles, which the versions of the items have.',
  changes: 'That something of the last days was changed; what it is now is in the document.',
  unnumbered_changes: 'The same, of the last second.',
  users: 'The document begins with the account.',
  event_tickets: 'Hashes of tickets of the last 30 seconds, which open a stream once.',
  idempotency_keys: 'Hashes of requests of the last day, and the ids of the items that they made.',
  label_renames: 'What is being renamed for everybody, and who began it, which the events have too.',
  mails: 'They are on their way to their recipients, and are kept until then.',
  passkey_owners: 'A random name under which authenticators know the account.',
  recovery_codes: 'Only hashes of codes; the codes are with their owner.',
  second_factor_challenges: 'Sign-ins of the last five minutes that wait for their second factor.',
  username_skeletons: 'It follows from the user name, and says what other names look alike.',
};

/** Records that an export begins, and returns the account. Fails with `recent_sign_in_required` and `too_many_requests`. */
export const beginExport = callerWrite(
  'accounts.begin_export',
  async (db, input: Asked, caller): Promise<object> => {
    const { userId, sessionId } = caller;
    await requireRecentSignIn(db, { sessionId, now: input.now });
    const account = await db
      .selectFrom('users')
      .select(exportedAccount.columns)
      .where('id', '=', userId)
      .executeTakeFirstOrThrow();
    await recordChange(db, 'data_exported', userId, byCaller(input, caller));
    await spend(db, 'export', userId, input.now);
    return exportedAccount.toItem(account);
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
 * export holds little however long it is. Each page has a turn of its own, so that others are served in between. A
 * section is as it was when it was read.
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
