import type { Fields, Format, Has } from './chosen.ts';
import { FailureError } from './failure-error.ts';
import { loginOf } from './login-answer.ts';
import type { Operations } from './operations.gen.ts';
import type { AnyFailure, AnyResult, CallInput, Data, OperationName, Result } from './result.ts';
import { type AnyInput, hasToken, isOpen, isRead, send } from './send.ts';
import { Session } from './session.ts';
import type { SessionState } from './session-status.ts';
import { memoryTokens, type Tokens } from './tokens.ts';
import type { LoginResult } from './types.gen.ts';

/** The operations whose answer is a session. */
export type SignInName = {
  [Name in OperationName]: Data<Name> extends LoginResult ? Name : never;
}[Exclude<OperationName, 'refresh'>];

/** The lists that can be walked by cursor. */
export type WalkName = {
  [Name in OperationName]: Has<'cursor', Operations[Name]['input']['query']> extends true ? Name : never;
}[OperationName];

export type Row<
  Name extends OperationName,
  Names extends Fields = undefined,
  Form extends Format = undefined,
> = Data<Name, Names, Form> extends { items: (infer Item)[] } ? Item : never;

type Body<Name extends SignInName> = Omit<Operations[Name]['input']['body'], 'refresh_token_in'>;

/** The input of a call after its name; it may be left out where nothing in it is required. */
export type CallArguments<
  Name extends OperationName,
  Names extends Fields = Fields,
  Form extends Format = Format,
> =
  Record<never, never> extends CallInput<Name>
    ? [input?: CallInput<Name, Names, Form>]
    : [input: CallInput<Name, Names, Form>];

export interface Client {
  /**
   * One call. Whatever comes of it is a value: nothing is thrown for an answer, and nothing where none comes. An item
   * that is read has all its members by its type, unless the query has `fields`, and `html` with that `format`.
   */
  call<Name extends OperationName, Names extends Fields = undefined, Form extends Format = undefined>(
    name: Name,
    ...input: CallArguments<Name, Names, Form>
  ): Promise<Result<Name, Names, Form>>;
  /** All rows of a list, by cursor: each row that lives throughout comes once. Throws a `WalkError`. */
  walk<Name extends WalkName, Names extends Fields = undefined, Form extends Format = undefined>(
    name: Name,
    ...input: CallArguments<Name, Names, Form>
  ): AsyncGenerator<Row<Name, Names, Form>, void, undefined>;
  /** By password. A second factor that is missing is a value: `error.error` is `second_factor_required`. */
  signIn(body: Body<'login'>): Promise<Result<'login'>>;
  /** By any other operation whose answer is a session. */
  completeSignIn<Name extends SignInName>(name: Name, body: Body<Name>): Promise<Result<Name>>;
  /** Signs out all tabs at once, then the session at the service; the result is that of the service. */
  signOut(): Promise<Result<'logout'>>;
  readonly session: {
    readonly state: SessionState;
    /** The id of the account that is signed in; undefined where nobody is, and until the first answer to a tab. */
    readonly account: number | undefined;
    /** Names what tabs share; undefined where they share nothing. */
    readonly name: string | undefined;
    /** The listener is called after each change of these, from this tab or another. Returns what ends that. */
    readonly subscribe: (listener: () => void) => () => void;
  };
}

/** What a client with a personal access token has. Nobody signs in with it or out. */
export type TokenClient = Pick<Client, 'call' | 'walk'>;

/** What a walk throws where a step fails. */
export class WalkError extends FailureError {
  constructor(failure: AnyFailure) {
    super('WalkError', failure);
  }
}

/**
 * `url` is that of the service, with its path if it has one; empty for the origin of the page. `token` is a personal
 * access token, which each call sends: a program has that, and no session.
 */
export function createClient(options: { readonly url: string; readonly tokens: Tokens }): Client;
export function createClient(options: { readonly url: string; readonly token: string }): TokenClient;
export function createClient({
  url,
  tokens = memoryTokens(),
  token: personal,
}: {
  readonly url: string;
  readonly tokens?: Tokens;
  readonly token?: string;
}): Client | TokenClient {
  const base = url.replace(/\/+$/, '');
  const credentials = tokens.place === 'cookie' ? 'include' : 'same-origin';
  const session = new Session(tokens, base, (name, token, signal, chosen) =>
    send(base, name, { signal }, token, chosen ?? credentials),
  );

  async function ask(name: OperationName, input: AnyInput = {}): Promise<AnyResult> {
    if (isOpen(name) || hasToken(input)) return send(base, name, input, undefined, credentials);
    if (personal !== undefined) return send(base, name, input, personal, credentials);
    const token = await session.token(input.signal);
    if (typeof token === 'object') return token;
    const result = await send(base, name, input, token, credentials);
    if (token === undefined || !isRefused(name, result)) return result;
    const next = await session.token(input.signal, token);
    if (typeof next === 'object') return next;
    return send(base, name, input, next, credentials);
  }

  async function signInBy(name: SignInName, body: object): Promise<AnyResult> {
    return session.alone(async () => {
      const began = performance.now();
      const result = loginOf(await ask(name, { body: { ...body, refresh_token_in: tokens.place } }));
      if (result.ok) session.begin(result.data, began);
      return result;
    });
  }

  async function* walk(name: OperationName, input: AnyInput = {}): AsyncGenerator<unknown, void, undefined> {
    let query: object | undefined = { per_page: 100, cursor: '', ...input.query };
    while (query) {
      const result = await ask(name, { ...input, query });
      if (!result.ok) throw new WalkError(result);
      const { items, next_cursor } = Object(result.data);
      yield* items;
      query = next_cursor === undefined ? undefined : { ...query, cursor: next_cursor };
    }
  }

  // The document says what each operation answers, so its types are given here once for all of them.
  const untyped = {
    call: ask,
    walk,
    ...(personal === undefined && {
      signIn: (body: object) => signInBy('login', body),
      completeSignIn: signInBy,
      signOut: () => session.end(),
      session,
    }),
  };
  return untyped as unknown as Client;
}

/**
 * Other failures of 401, such as a wrong password, say nothing of the token. What everybody may read is answered as to a
 * stranger, where only a header says that the token was refused.
 */
function isRefused(name: OperationName, result: AnyResult): boolean {
  if (!result.ok && result.status === 401) return result.error.error.startsWith('token_');
  return isRead(name) && /invalid_token/.test(result.headers?.get('www-authenticate') ?? '');
}
