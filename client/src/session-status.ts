export type SessionState = 'signed-in' | 'signed-out' | 'unknown';

/** Whether a page or a program is signed in, and as whom. Listeners learn of each change. */
export class SessionStatus {
  readonly #listeners = new Set<() => void>();
  #state: SessionState;
  #account: number | undefined;

  constructor(state: SessionState) {
    this.#state = state;
  }

  /** `unknown` until the first call, where no script can read the token. */
  get state(): SessionState {
    return this.#state;
  }

  /** Whose session it is, by the last token; undefined without one. */
  get account(): number | undefined {
    return this.#account;
  }

  /** The listener is called after each change of the state or the account. Returns what ends that. Needs no `this`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  protected become(state: SessionState, account: number | undefined): void {
    const [stateBefore, before] = [this.#state, this.#account];
    this.#state = state;
    this.#account = state === 'signed-out' ? undefined : account;
    if (state === stateBefore && before === this.#account) return;
    for (const listener of this.#listeners)
      try {
        listener();
      } catch (error) {
        // A mistake of the app is no failure of a call. Node.js has no reportError.
        (globalThis.reportError ?? console.error)(error);
      }
  }
}
