import type { RegistrationMode } from '../domain/account.ts';
import { Failure } from '../domain/failure.ts';

/** Fails with `registration_closed` or `invitation_required` where nobody may register so. */
export function requireEntry(registration: RegistrationMode, invitation: string | undefined): void {
  if (registration === 'closed') throw registrationClosed();
  if (registration === 'open' || invitation !== undefined) return;
  const message = 'Registering needs an invitation; ask an admin of this service for one.';
  throw new Failure({ error: 'invitation_required', message });
}

export function registrationClosed(): Failure {
  const message = 'Nobody can register here; ask the operator of this service for an account.';
  return new Failure({ error: 'registration_closed', message });
}
