import { FULL_FROM } from './room.ts';
import type { MailLog } from './send.ts';

/** `accounts_only` has no room left for mails to addresses that somebody named, `full` for none. */
export type OutboxState = 'ok' | 'accounts_only' | 'full';

/** From the fullest on. */
const LEVELS = [
  { state: 'full', from: FULL_FROM.full, message: 'the outbox is full, so no mail is queued any more' },
  {
    state: 'accounts_only',
    from: FULL_FROM.accounts_only,
    message: 'the outbox has room only for mails to accounts',
  },
] as const;
/** A state ends below this part of its number, so that the log has no line for each mail around it. */
const HYSTERESIS = 0.9;

/** Tells the log when the outbox gets full and when there is room again, and readiness how it is. */
export class OutboxWatch {
  readonly #log: MailLog;
  #state: OutboxState = 'ok';

  constructor(log: MailLog) {
    this.#log = log;
  }

  get state(): OutboxState {
    return this.#state;
  }

  /** `waiting` is how many mails wait now. */
  see(waiting: number): void {
    const level = LEVELS.find(
      ({ state, from }) => waiting >= (state === this.#state ? HYSTERESIS * from : from),
    );
    const state = level?.state ?? 'ok';
    if (state === this.#state) return;
    this.#state = state;
    if (level) this.#log.warn({ waiting }, level.message);
    else this.#log.info({ waiting }, 'the outbox has room again');
  }
}
