import { signal } from '@preact/signals';
import type { AnyFailure, CallArguments, Fields, Format, OperationName } from '@stoa/client';
import { stoa } from '../stoa.ts';
import { type Asking, askedToSignIn, signInAgain } from './session.ts';

type Call = typeof stoa.call;

/**
 * A call that asks for a sign-in in place where it needs one, and then is sent once more. Where the page asks for one
 * already, it waits: the browser may have the session of another account.
 */
export const ask: Call = async <Name extends OperationName, Names extends Fields, Form extends Format>(
  operation: Name,
  ...input: CallArguments<Name, Names, Form>
) => {
  if (askedToSignIn() === 'ended') await signInAgain();
  const result = await stoa.call<Name, Names, Form>(operation, ...input);
  // The failures of all operations have a name, which the type of any one operation does not say.
  const why = result.ok ? undefined : whyOf(result as AnyFailure);
  if (why === undefined) return result;
  return (await signInAgain(why)) ? stoa.call<Name, Names, Form>(operation, ...input) : result;
};

function whyOf({ status, error }: AnyFailure): Asking | undefined {
  if (error.error === 'recent_sign_in_required') return 'recent';
  return status === 401 && error.error.startsWith('token_') ? 'ended' : undefined;
}

/** A read that filled the view, by the name and the parameters of its operation. It has no token and no header. */
export interface ViewRequest {
  readonly operation: OperationName;
  readonly input: { readonly path?: object; readonly query?: object };
}

/** What filled the view, in the order in which it was asked for first. */
export const requests = signal<readonly ViewRequest[]>([]);

const noted = new Map<string, { readonly request: ViewRequest; readonly left: AbortSignal }>();

function tell(): void {
  requests.value = [...noted.values()].flatMap(({ request, left }) => (left.aborted ? [] : request));
}

/** A call that reads what the view shows: it can be copied until its signal aborts. It needs a signal for that. */
export const read: Call = async <Name extends OperationName, Names extends Fields, Form extends Format>(
  operation: Name,
  ...input: CallArguments<Name, Names, Form>
) => {
  const forget = showsRead(operation, Object(input[0]));
  const result = await ask<Name, Names, Form>(operation, ...input);
  if (!result.ok) forget();
  return result;
};

/** Notes a read of what the view shows until its signal aborts. Returns what forgets it before. */
export function showsRead(
  operation: OperationName,
  { path, query, signal: left }: ViewRequest['input'] & { readonly signal?: AbortSignal },
): () => void {
  // What nobody leaves was not asked for by a view.
  if (!left) return () => {};
  const request = { operation, input: { ...(path && { path }), ...(query && { query }) } };
  const key = JSON.stringify(request);
  // A request that is made again keeps its place until the view is left.
  if (requests.peek().length === 0) noted.clear();
  noted.set(key, { request, left });
  left.addEventListener('abort', tell);
  tell();
  return () => {
    if (noted.get(key)?.left === left) noted.delete(key);
    tell();
  };
}
