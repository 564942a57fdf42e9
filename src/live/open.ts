import type { Caller } from '../domain/account.ts';
import { tokenRevoked } from '../domain/failure.ts';
import { findCallers } from '../sessions/session.ts';
import type { Store } from '../store/store.ts';
import type { CatchUp } from './catch-up.ts';
import { openingFrame } from './frames.ts';
import { Listener, type Output } from './listener.ts';
import type { Listeners } from './listeners.ts';
import { toMark } from './mark.ts';
import { type AcceptedKeys, idsOf } from './signing-keys.ts';
import type { Teller } from './teller.ts';

interface Parts {
  readonly store: Store;
  readonly keyring: AcceptedKeys;
  readonly listeners: Listeners;
  readonly teller: Teller;
  readonly catchUp: CatchUp;
  /** Gets what ends a stream early, and is no fault of its client. */
  readonly onFailure: (error: unknown) => void;
  readonly clock: () => number;
}

interface Wish extends Pick<Caller, 'userId' | 'sessionId'> {
  readonly source: string;
  /** The last event that the listener knows; undefined to begin now. */
  readonly lastEventId: string | undefined;
}

interface Stream extends Output {
  onClose(listener: () => void): void;
}

/** Opens streams. */
export class Opening {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Begins the stream once nothing can refuse it any more. Fails before with `too_many_requests`, `busy`, `token_revoked`,
   * or as the store.
   */
  async open({ userId, sessionId, source, lastEventId }: Wish, begin: () => Stream): Promise<void> {
    const { store, keyring, listeners, teller, catchUp, onFailure, clock } = this.#parts;
    const keys = idsOf(keyring);
    const place = listeners.take(userId, source);
    let isBegun = false;
    try {
      await teller.begin();
      const asked = lastEventId === undefined ? undefined : toMark(lastEventId);
      const isKnown = asked !== undefined && (await catchUp.knows(asked));
      // The token may have been checked almost a second ago, and the next check of all comes later.
      const [caller] = await store.read(findCallers, { sessionIds: [sessionId], now: clock() });
      if (!caller) throw tokenRevoked();

      const stream = begin();
      isBegun = true;
      const mark = isKnown ? asked : teller.mark;
      const listener = new Listener(caller, keys, mark, stream);
      listeners.add(listener, place);
      stream.onClose(() => listeners.remove(listener));
      listener.moveTo(mark, openingFrame(mark));
      if (lastEventId === undefined) listener.isLive = true;
      else if (!isKnown) catchUp.reset(listener);
      else
        catchUp.tell(listener).catch((error) => {
          listener.end();
          onFailure(error);
        });
    } catch (error) {
      if (!isBegun) place.give();
      throw error;
    }
  }
}
