import type { Client } from './client.ts';
import { parseEvents } from './event-stream.ts';
import { FailureError } from './failure-error.ts';
import { type Ears, leadOrFollow, type Mark, SILENCE_MS } from './lead.ts';
import type { AnyFailure } from './result.ts';
import { pause } from './waiting.ts';

export interface LiveEvent {
  /** Where a listener goes on after this event. It grows. */
  readonly id: string;
  /** `reset` says that events may be missing: read again what you show. */
  readonly event: string;
  /** Of the item or the account; absent in a reset. */
  readonly data: {
    readonly id?: number;
    readonly version?: number;
    readonly at?: string;
    readonly by?: { readonly id: number };
  };
}

export interface ListenOptions {
  /** The id of the last event that arrived; without it, what happens after the first `next` has opened the stream. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** What listening throws where the service refuses the stream. */
export class ListenError extends FailureError {
  constructor(failure: AnyFailure) {
    super('ListenError', failure);
  }
}

/** A client, with a session or a personal access token. */
type Listening = Pick<Client, 'call'> & Partial<Pick<Client, 'session'>>;

/** The same request would be refused again, unlike one that was too early or too many. */
const REFUSED: readonly number[] = [400, 401, 403];
/** What a listener that reads too slowly may leave; then it gets one reset. */
const MOST_WAITING = 10_000;
const SHORTEST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/**
 * A stream that lives this long is no reason for a long pause: some proxies end each answer. A time by the pause would not
 * do: where ten of eleven listeners have a stream, each stream lives ten times as long as their pauses.
 */
const LASTING_MS = LONGEST_PAUSE_MS;

/**
 * Changes as they are made, from the first `next` on. Tabs with one session share one stream. A stream that breaks is
 * opened again after the last event, so nothing is lost. Ends with the session, and with the signal. Throws a
 * `ListenError` where the service refuses the stream.
 */
export async function* listen(
  stoa: Listening,
  { after, signal }: ListenOptions = {},
): AsyncGenerator<LiveEvent, void, undefined> {
  const ended = new AbortController();
  const waiting: LiveEvent[] = [];
  let last = after;
  let wake = () => {};
  let problem: unknown;
  const take = (event: LiveEvent | Mark) => {
    const isReset = event.event === 'reset';
    if (last !== undefined && !isReset && Number.parseInt(event.id, 10) <= Number.parseInt(last, 10)) return;
    last = event.id;
    if (event.event === undefined) return;
    if (waiting.length === MOST_WAITING)
      waiting.splice(0, MOST_WAITING, { ...event, event: 'reset', data: {} });
    else waiting.push(event);
    wake();
  };
  const end = () => {
    ended.abort();
    wake();
  };
  const { session } = stoa;
  let account = session?.account;
  const leave = session?.subscribe(() => {
    const before = account;
    account = session.account;
    // What was not known before is no other account.
    if (session.state === 'signed-out' || (before !== undefined && account !== before)) end();
  });
  const abort = () => {
    waiting.length = 0;
    end();
  };
  signal?.addEventListener('abort', abort);
  if (signal?.aborted) abort();
  // Tabs with version 0.2.0 of the client share a stream named "live", and tell one another less.
  const share = session?.name && `${session.name} events`;
  leadOrFollow(share, { last: () => last, take, signal: ended.signal }, (from, ears, until) =>
    stream(stoa, from, ears, until),
  ).then(end, (error: unknown) => {
    problem = error;
    end();
  });
  try {
    while (!ended.signal.aborted || waiting.length > 0) {
      const next = waiting.shift();
      if (next) yield next;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    if (problem !== undefined) throw problem;
  } finally {
    leave?.();
    signal?.removeEventListener('abort', abort);
    end();
  }
}

/** Reads streams, one after the other, until the signal or the end of the session. */
async function stream(
  stoa: Listening,
  from: () => string | undefined,
  ears: Ears<LiveEvent>,
  until: AbortSignal,
): Promise<void> {
  let wait = SHORTEST_PAUSE_MS;
  while (!until.aborted) {
    const broken = new AbortController();
    const stop = () => broken.abort();
    until.addEventListener('abort', stop);
    let silence = setTimeout(stop, SILENCE_MS);
    const last = from();
    const headers = last === undefined ? {} : { 'last-event-id': last };
    const result = await stoa.call('listenToEvents', { headers, signal: broken.signal });
    let seconds = 0;
    if (result.ok) {
      const heard = () => {
        clearTimeout(silence);
        silence = setTimeout(stop, SILENCE_MS);
        ears.heard();
      };
      const lasting = setTimeout(() => {
        wait = SHORTEST_PAUSE_MS;
      }, LASTING_MS);
      await parseEvents(result.data, heard, ears.tell).catch(() => {});
      clearTimeout(lasting);
    } else seconds = result.retryAfter ?? 0;
    clearTimeout(silence);
    until.removeEventListener('abort', stop);
    // A refusal that comes with the end of the session is no news.
    if (!result.ok && REFUSED.includes(result.status) && !until.aborted) throw new ListenError(result);
    await pause(Math.max(seconds * 1000, wait * (0.5 + Math.random())), until).catch(() => {});
    wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
  }
}
