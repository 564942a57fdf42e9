import { typed } from '../domain/installation.ts';

/** What mends much of what is wrong, as it is typed here. */
export const REPAIR = typed('doctor --repair');

/** `wrong` needs a cure. `advice` may be as it is meant. */
export type State = 'ok' | 'advice' | 'wrong';

/** What one check found: one sentence that says what is the case and, unless it is `ok`, what to do. */
export interface Finding {
  readonly check: string;
  readonly state: State;
  readonly says: string;
}

export function finding(check: string, state: State, says: string): Finding {
  return { check, state, says };
}
