import { oneTabAtATime } from './lock.ts';
import { accountOf, claimsOf, loginOf, TRY_AGAIN, withoutAbort } from './login-answer.ts';
import { type AnyFailure, type AnyResult, noAnswer } from './result.ts';
import { type SessionState, SessionStatus } from './session-status.ts';
import { type Message, openTabs, type Tabs } from './tabs.ts';
import type { Tokens } from './tokens.ts';
import type { LoginResult } from './types.gen.ts';
import { withSignal } from './waiting.ts';

/** Sends one request to the service, with this token, and with the cookies of the client unless they are omitted. */
export type Ask = (
  name: 'refresh' | 'logout',
  token: string | undefined,
  signal: AbortSignal,
  credentials?: 'omit',
) => Promise<AnyResult>;

/**
 * A refresh without an answer is repeated once after this time. The service takes the same token again for ten seconds, so
 * a lost answer ends no session.
 */
const ANSWER_MS = 4_500;
/** A sign-in waits this long for another tab: longer than all requests of a sign-out take. */
const SIGN_IN_WAIT_MS = 6_000;
/** A tab that had the lock tells the others the new token. The message may come after the lock. */
const MESSAGE_MS = 250;
/** A token is replaced this part of its life before its end. */
const MARGIN = 0.05;

interface Access {
  readonly token: string;
  /** By the clock of `performance`, which nobody sets. */
  readonly until: number;
}

/** The one session of a page or a program: its access token, and how it gets the next. */
export class Session extends SessionStatus {
  readonly #tokens: Tokens;
  readonly #ask: Ask;
  readonly #name: string | undefined;
  readonly #tabs: Tabs;
  #access: Access | undefined;
  /** Grows with each sign-in and sign-out: an answer for an earlier session is discarded. */
  #era = 0;
  #refreshing: Promise<AnyFailure | undefined> | undefined;
  #ending: Promise<AnyResult> | undefined;
  /** The refresh token of a session that is left here, and of whose end the service may not know. */
  #left: string | undefined;

  constructor(tokens: Tokens, url: string, ask: Ask) {
    super(storedState(tokens));
    this.#tokens = tokens;
    this.#ask = ask;
    // A process of a server has the sessions of many users, and Node.js has channels too. Only pages share.
    this.#name = globalThis.location && tokens.shared && `stoa ${url} ${tokens.shared}`;
    this.#tabs = openTabs(this.#name, (message) => {
      if (this.#isLate(message)) return;
      if (message.out || message.isNew) this.#era++;
      this.#access = message.token
        ? { token: message.token, until: performance.now() + message.life }
        : undefined;
      this.#become(message.out ? 'signed-out' : 'signed-in');
    });
    if (!this.#tabs.isOpen)
      tokens.watch?.(() => {
        this.#access = undefined;
        this.#become(storedState(this.#tokens));
      });
  }

  /** Names what tabs share; undefined where they share nothing. */
  get name(): string | undefined {
    return this.#name;
  }

  /** The token for a call; undefined while signed out. `refused` is a token that the service did not take. */
  async token(signal?: AbortSignal, refused?: string): Promise<string | undefined | AnyFailure> {
    const account = refused === undefined ? this.account : accountOf(refused);
    if (!this.#usable(refused) && this.state !== 'signed-out') {
      const before = this.state;
      this.#refreshing ??= this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
      const failure = await withSignal(this.#refreshing, signal).catch((cause: unknown) =>
        noAnswer(signal, cause),
      );
      // Nobody was signed in: the call goes on as that of a stranger.
      if (failure?.status === 401 && before === 'unknown') return undefined;
      if (failure) return failure;
    }
    // What one account began is not made in the name of another one.
    const isOthers = account !== undefined && this.#access && account !== this.account;
    return isOthers ? TRY_AGAIN : this.#access?.token;
  }

  /** Takes the answer to a sign-in. `began` is when it was asked for, by the clock of `performance`. */
  begin(login: LoginResult, began: number): void {
    this.#era++;
    this.#left = undefined;
    this.#tokens.write(login.refresh_token);
    this.#adopt(login, began, true);
  }

  /** Ends the session here and in all tabs at once, and then at the service. Until it succeeds it can be called again. */
  end(): Promise<AnyResult> {
    if (this.#ending && this.state === 'signed-out') return this.#ending;
    const ending = this.#end().finally(() => {
      if (this.#ending === ending) this.#ending = undefined;
    });
    this.#ending = ending;
    return ending;
  }

  /** Runs a sign-in while no tab refreshes or signs out: a late answer to that would replace its cookie. */
  async alone<Value>(signIn: () => Promise<Value>): Promise<Value> {
    await this.#ending?.catch(() => {});
    return oneTabAtATime(this.#name, signIn, SIGN_IN_WAIT_MS);
  }

  async #end(): Promise<AnyResult> {
    const [access, late] = [this.#usable(), this.#refreshing];
    this.#left = this.#tokens.read() ?? this.#left;
    this.#forget();
    const era = this.#era;
    // The late answer could set the cookie again.
    await late?.catch(() => {});
    const answer = await oneTabAtATime(this.#name, async (waited) => {
      if (waited && era === this.#era) await this.#tabs.heard(MESSAGE_MS);
      return this.#endAtService(access, era);
    });
    if (answer.ok || answer.status === 401) this.#left = undefined;
    return answer;
  }

  /** All its requests together take ANSWER_MS at most, so that no sign-in goes on before them. */
  async #endAtService(access: string | undefined, era: number): Promise<AnyResult> {
    const soon = AbortSignal.timeout(ANSWER_MS);
    // By then the cookie is that of a sign-in in another tab.
    const isOvertaken = () => this.#tokens.place === 'cookie' && era !== this.#era;
    // The answer to a request without a cookie takes none away.
    const logOut = async (token: string) =>
      withoutAbort(await this.#ask('logout', token, soon, isOvertaken() ? 'omit' : undefined));
    const answer = access === undefined ? undefined : await logOut(access);
    // The service may have a later clock than this token.
    if (answer && answer.status !== 401) return answer;
    if (isOvertaken()) return TRY_AGAIN;
    const login = loginOf(withoutAbort(await this.#ask('refresh', this.#left, soon)));
    if (!login.ok) return login;
    this.#left = login.data.refresh_token;
    return logOut(login.data.token);
  }

  /** True for the token of a session that this tab has left, from a tab that did not know of that yet. */
  #isLate({ token, isNew }: Message): boolean {
    if (token === undefined || isNew) return false;
    if (this.#access) return claimsOf(token).sid !== claimsOf(this.#access.token).sid;
    return this.state === 'signed-out' && storedState(this.#tokens) === 'signed-out';
  }

  #usable(refused?: string): string | undefined {
    const access = this.#access;
    return access && access.token !== refused && performance.now() < access.until ? access.token : undefined;
  }

  /** Undefined once there is a new token, or the session is no longer that of the beginning. */
  async #refresh(): Promise<AnyFailure | undefined> {
    const [era, before] = [this.#era, this.#access];
    for (let attempt = 1; ; attempt++) {
      const failure = await oneTabAtATime(this.#name, async (waited) => {
        const isNew = () => this.#access !== undefined && this.#access !== before;
        if (waited && !isNew()) await this.#tabs.heard(MESSAGE_MS);
        return era === this.#era && !isNew() ? this.#attempt(era) : undefined;
      });
      // Without an answer, and where another tab had stored another token.
      if (attempt > 1 || (failure?.status !== 0 && failure !== TRY_AGAIN)) return failure;
    }
  }

  async #attempt(era: number): Promise<AnyFailure | undefined> {
    const presented = this.#tokens.read();
    const began = performance.now();
    const soon = AbortSignal.timeout(ANSWER_MS);
    const answer = loginOf(withoutAbort(await this.#ask('refresh', presented, soon)));
    if (era !== this.#era) return undefined;
    const stored = this.#tokens.read();
    if (answer.ok) {
      const login = answer.data;
      // Another tab may have a later one.
      if (stored === presented) this.#tokens.write(login.refresh_token);
      if (stored === undefined && presented !== undefined) this.#forget();
      else this.#adopt(login, began, false);
      return undefined;
    }
    if (answer.status !== 401) return answer;
    if (stored !== presented && stored !== undefined) return TRY_AGAIN;
    this.#forget();
    return answer;
  }

  #adopt({ token, expires_in }: LoginResult, began: number, isNew: boolean): void {
    const life = expires_in * 1000 * (1 - MARGIN) - (performance.now() - began);
    this.#access = { token, until: performance.now() + life };
    this.#tabs.tell({ token, life, isNew });
    this.#become('signed-in');
  }

  #forget(): void {
    this.#era++;
    this.#access = undefined;
    this.#tokens.write(undefined);
    this.#tabs.tell({ out: true, life: 0 });
    this.#become('signed-out');
  }

  #become(state: SessionState): void {
    this.become(state, this.#access ? accountOf(this.#access.token) : this.account);
  }
}

/** What the kept token says, before the service was asked. */
function storedState(tokens: Tokens): SessionState {
  if (tokens.place === 'cookie') return 'unknown';
  return tokens.read() === undefined ? 'signed-out' : 'signed-in';
}
