import type { Choice, Chosen, Fields, Format } from './chosen.ts';
import type { Operations } from './operations.gen.ts';

export type OperationName = keyof Operations;

type Input<Name extends OperationName> = Operations[Name]['input'];

type Member<Key extends 'path' | 'query' | 'body' | 'headers', In> = Key extends keyof In
  ? [In[Key]] extends [never | undefined]
    ? { [K in Key]?: undefined }
    : undefined extends In[Key]
      ? { [K in Key]?: In[Key] }
      : { [K in Key]: In[Key] }
  : { [K in Key]?: undefined };

type TakesKey<In> = In extends { headers?: infer Headers }
  ? 'idempotency-key' extends keyof NonNullable<Headers>
    ? true
    : false
  : false;

/** What a call takes: the members that its operation has, and how it is sent. */
export type CallInput<
  Name extends OperationName,
  Names extends Fields = Fields,
  Form extends Format = Format,
> = Member<'path', Input<Name>> &
  Member<'query', Input<Name>> &
  Choice<Input<Name>['query'], Names, Form> &
  Member<'body', Input<Name>> & {
    /** More headers; `authorization` replaces the token of the session. */
    readonly headers?: Readonly<Record<string, string>>;
    /** Makes the call repeatable: the service makes it once. A new UUID for each new request. */
    readonly idempotencyKey?: TakesKey<Input<Name>> extends true ? string : never;
    readonly signal?: AbortSignal | undefined;
  };

/** The `data` of a success, by the `fields` and the `format` of the query; of a stream, its bytes. */
export type Data<
  Name extends OperationName,
  Names extends Fields = undefined,
  Form extends Format = undefined,
> = Name extends 'listenToEvents'
  ? ReadableStream<Uint8Array>
  : Operations[Name]['answers'] extends { 200: infer Answer }
    ? Answer extends { code: 200; data: infer Inner }
      ? Chosen<Input<Name>['query'], Inner, Names, Form>
      : Answer
    : never;

export interface Success<Value> {
  readonly ok: true;
  readonly status: number;
  readonly data: Value;
  readonly headers: Headers;
}

interface Failed<Status extends number, Why> {
  readonly ok: false;
  readonly status: Status;
  readonly error: Why & { readonly message: string };
  /** Absent without an answer. */
  readonly headers?: Headers;
  /** What was thrown where no answer arrived, such as the error of `fetch` or the reason of the abort. */
  readonly cause?: unknown;
  /** Seconds to wait before another attempt, where the service says so. */
  readonly retryAfter?: number;
}

/** No answer (status 0), also where the call cannot be sent, or one that is not from Stoa, such as that of a proxy. */
export type OtherFailure =
  | Failed<0, { readonly error: 'network' | 'aborted' | 'not_sent' }>
  | Failed<304, { readonly error: 'not_modified' }>
  | Failed<number, { readonly error: 'unexpected' }>;

type OwnFailures<Failures> = {
  [Status in keyof Failures & number]: Failures[Status] extends { data: infer Why }
    ? Failed<Status, Why>
    : never;
}[keyof Failures & number];

/** `error.error` is a stable name, one of those that the operation has. */
export type Failure<Name extends OperationName> = OwnFailures<Operations[Name]['failures']> | OtherFailure;

export type Result<
  Name extends OperationName,
  Names extends Fields = undefined,
  Form extends Format = undefined,
> = Success<Data<Name, Names, Form>> | Failure<Name>;

/** A failure whose operation is not known. */
export type AnyFailure = Failed<number, { readonly error: string }>;
export type AnyResult = Success<unknown> | AnyFailure;

export function noAnswer(signal?: AbortSignal | null, cause?: unknown): AnyFailure {
  const [error, message] = signal?.aborted
    ? ['aborted', 'The call was aborted.']
    : ['network', 'No answer arrived; check the connection and try again.'];
  return { ok: false, status: 0, error: { error, message }, ...(cause !== undefined && { cause }) };
}

/** Of a call with something that no request can have, such as a header with a line break. */
export function notSent(cause: unknown): AnyFailure {
  const message = `The call cannot be sent: ${cause instanceof Error ? cause.message : cause}`;
  return { ok: false, status: 0, error: { error: 'not_sent', message }, cause };
}

/** Reads an answer. A body that breaks off is no answer. */
export async function resultOf(response: Response): Promise<AnyResult> {
  const { status, headers } = response;
  if (headers.get('content-type')?.startsWith('text/event-stream') && response.ok)
    return { ok: true, status, headers, data: response.body };
  const body = parsed(await response.text());
  const data =
    body !== null && typeof body === 'object' && 'code' in body && 'data' in body ? body.data : body;
  if (response.ok && body !== undefined) return { ok: true, status, headers, data };
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? { retryAfter: seconds } : {};
  return { ok: false, status, headers, ...retryAfter, error: errorOf(status, body, data) };
}

function errorOf(status: number, body: unknown, data: unknown): AnyFailure['error'] {
  const { message } = Object(body);
  if (typeof message === 'string' && typeof Object(data).error === 'string')
    return { ...Object(data), message };
  if (status === 304) return { error: 'not_modified', message: 'Nothing has changed.' };
  return { error: 'unexpected', message: `The answer ${status} is not from Stoa; look at the proxy.` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
