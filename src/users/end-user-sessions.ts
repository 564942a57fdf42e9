import { adminWrite } from '../accounts/admin-write.ts';
import type { CallerInput } from '../accounts/caller-write.ts';
import { lockAccount } from '../accounts/lock-account.ts';
import { byAdmin } from '../domain/by.ts';
import type { Origin } from '../domain/origin.ts';
import { endAllSessions } from './account-changes.ts';

interface Ending extends CallerInput {
  readonly id: number;
  readonly origin: Origin;
}

/** Ends all sessions of an account, those of programs too; returns how many. Fails with `not_found`. */
export const endUserSessions = adminWrite(
  'users.end_user_sessions',
  async (db, input: Ending, caller, engine): Promise<number> => {
    await lockAccount(db, input.id, input.now);
    return endAllSessions(db, input.id, byAdmin(input, caller), engine);
  },
);
