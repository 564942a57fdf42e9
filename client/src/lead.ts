/** Where a stream is, without an event. */
export interface Mark {
  readonly id: string;
  readonly event?: undefined;
}

/** A listener of this tab: how far it is, and how it takes an event. Events that it has are taken once. */
interface Listener<Event> {
  readonly last: () => string | undefined;
  readonly take: (event: Event | Mark) => void;
  readonly signal: AbortSignal;
}

type Stream<Event> = (
  from: () => string | undefined,
  tell: (event: Event | Mark) => void,
  until: AbortSignal,
) => Promise<void>;

/** What the leader tells, and where its stream was before. Without `before` nothing came before: it is where "now" is. */
interface Told<Event> {
  readonly event: Event | Mark;
  readonly before: string | undefined;
}

/** What a tab asks the leader for: events after this id, or where "now" is. */
interface Wish {
  readonly after: string | undefined;
}

/**
 * One tab reads the stream and tells the others, as long as it holds the lock. The next one goes on after its own last event
 * once the first is gone. A tab that would miss something takes nothing and asks the leader to read it again. Without
 * locks or channels each tab reads a stream of its own.
 */
export async function leadOrFollow<Event extends { readonly id: string }>(
  name: string | undefined,
  { last, take, signal }: Listener<Event>,
  stream: Stream<Event>,
): Promise<void> {
  const locks = globalThis.navigator?.locks;
  if (name === undefined || !locks || !globalThis.BroadcastChannel) return stream(last, take, signal);
  const channel = new BroadcastChannel(name);
  const send = (message: Told<Event> | Wish) => channel.postMessage(message);
  let lead: ((wish: Wish) => void) | undefined;
  channel.addEventListener('message', ({ data }: MessageEvent<Told<Event> | Wish>) => {
    if ('after' in data) lead?.(data);
    else if (lead) return;
    else if (lacks(last(), data.before)) send({ after: last() });
    else take(data.event);
  });
  send({ after: last() });
  try {
    await locks.request(name, { signal }, async () => {
      // Where the stream is. That is behind this tab while another one is told what it lacks.
      let at = last();
      while (!signal.aborted) {
        const again = new AbortController();
        const stop = () => again.abort();
        signal.addEventListener('abort', stop);
        lead = ({ after }) => {
          const now = last();
          if (after === undefined) {
            if (now !== undefined) send({ event: { id: now }, before: undefined });
            return;
          }
          // Where the stream has not begun, its first id tells the tab to ask again.
          if (at === undefined || !lacks(after, at)) return;
          at = after;
          stop();
        };
        const tell = (event: Event | Mark) => {
          // What still comes of a stream that was left is not what follows `at`.
          if (again.signal.aborted) return;
          send({ event, before: at });
          at = event.id;
          take(event);
        };
        await stream(() => at, tell, again.signal);
        signal.removeEventListener('abort', stop);
        // The session has ended, and not only this stream.
        if (!again.signal.aborted) return;
      }
    });
  } finally {
    channel.close();
  }
}

/** Would a tab with this last id miss something that came before? */
function lacks(last: string | undefined, before: string | undefined): boolean {
  if (last === undefined || before === undefined) return last !== before;
  return Number.parseInt(last, 10) < Number.parseInt(before, 10);
}
