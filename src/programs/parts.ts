import type { SessionParts } from '../sessions/parts.ts';

/** What the routes of personal access tokens work with. */
export interface ProgramParts extends Pick<SessionParts, 'store' | 'limits' | 'clock'> {
  readonly sendsMail: boolean;
}
