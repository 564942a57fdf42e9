import { Failure } from '../domain/failure.ts';
import { isoTime } from '../domain/time.ts';

interface AccountState {
  readonly disabled_at: number | null;
  readonly closes_at: number | null;
  readonly must_change_password: 0 | 1;
}

/** False where an account is for nobody: it is disabled, or its time is over. It then looks as if there were none. */
export function isUsable({ disabled_at, closes_at }: AccountState, now: number): boolean {
  return disabled_at === null && (closes_at === null || closes_at > now);
}

/** Why whoever has proved the password may not sign in; undefined where nothing is in the way. */
export function hindranceOf({ closes_at, must_change_password }: AccountState): Failure | undefined {
  if (closes_at !== null) {
    const message = `This account is closed, and will be removed on ${isoTime(closes_at)}. To keep it, send the same to POST /api/auth/restore, and log in again.`;
    return new Failure({ error: 'account_closed', message });
  }
  if (must_change_password === 1) {
    const message =
      'An admin asks for a new password: choose one by a link that POST /api/auth/password/forgotten mails.';
    return new Failure({ error: 'password_change_required', message });
  }
  return undefined;
}
