import type { RegistrationMode } from '../domain/account.ts';
import type { Sealing } from '../services/sealing/sealing.ts';
import type { SessionParts } from '../sessions/parts.ts';

/** What the routes of addresses work with. */
export interface AddressParts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sealing: Sealing;
  readonly sendsMail: boolean;
  readonly registration: RegistrationMode;
}
