import { endSessionsOfAccount } from '../accounts/administer.ts';
import type { Config } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { endSomePendingOfAll, endSomeSessions } from '../sessions/session.ts';
import type { Store } from '../store/store.ts';
import { withStore } from './with-store.ts';

/** Sessions, links or waiting sign-ins that one write ends, in some milliseconds, so that other writes hardly wait. */
const BATCH = 1_000;

/** Ends all sessions of one account, or of all. Running servers refuse their tokens within a second. */
export async function endSessions(
  config: Config,
  account: string | undefined,
  isAll: boolean,
): Promise<void> {
  if ((account !== undefined) === isAll)
    throw new OperatorError('Give the user name or e-mail address of an account, or --all.');
  await withStore(config, async (store) => {
    if (account === undefined) await endAll(store);
    else await store.write(endSessionsOfAccount, { account, now: Date.now() });
    process.stdout.write(
      account === undefined ? 'All sessions have ended.\n' : `All sessions of "${account}" have ended.\n`,
    );
  });
}

/** Ends all sessions, and what could still be completed without one. */
export async function endAll(store: Store): Promise<void> {
  await endEach(store);
  // After the sessions, so that none of them begins anything more.
  while (await store.write(endSomePendingOfAll, { limit: BATCH }));
  // A session that was not reached yet may have made a token whose id had been passed.
  await endEach(store);
}

async function endEach(store: Store): Promise<void> {
  let after: string | null = '';
  while (after !== null) {
    after = await store.write(endSomeSessions, { after, limit: BATCH, now: Date.now() });
  }
}
