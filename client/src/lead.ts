/** A listener of this tab: how far it is, and how it takes an event. Events that it has are taken once. */
interface Listener<Event> {
  readonly last: () => string | undefined;
  readonly take: (event: Event) => void;
  readonly signal: AbortSignal;
}

type Stream<Event> = (
  from: () => string | undefined,
  tell: (event: Event) => void,
  until: AbortSignal,
) => Promise<void>;

/** What a tab asks the leader for: events after this id. */
interface Wish {
  readonly after: string;
}

/**
 * One tab reads the stream and tells the others, as long as it holds the lock. The next one goes on after its own last event
 * once the first is gone. Without locks or channels each tab reads a stream of its own.
 */
export async function leadOrFollow<Event extends { readonly id: string }>(
  name: string | undefined,
  { last, take, signal }: Listener<Event>,
  stream: Stream<Event>,
): Promise<void> {
  const locks = globalThis.navigator?.locks;
  if (name === undefined || !locks || !globalThis.BroadcastChannel) return stream(last, take, signal);
  const channel = new BroadcastChannel(name);
  let lead: { readonly from: (wish: Wish) => void } | undefined;
  channel.addEventListener('message', ({ data }: MessageEvent<Event | Wish>) => {
    if ('after' in data) lead?.from(data);
    else if (!lead) take(data);
  });
  const after = last();
  if (after !== undefined) channel.postMessage({ after });
  try {
    await locks.request(name, { signal }, async () => {
      let earlier: string | undefined;
      while (!signal.aborted) {
        const again = new AbortController();
        const stop = () => again.abort();
        signal.addEventListener('abort', stop);
        lead = {
          from: (wish) => {
            if (Number.parseInt(wish.after, 10) >= Number.parseInt(last() ?? '0', 10)) return;
            earlier = wish.after;
            stop();
          },
        };
        const from = () => earlier ?? last();
        const tell = (event: Event) => {
          earlier = undefined;
          take(event);
          channel.postMessage(event);
        };
        await stream(from, tell, again.signal);
        signal.removeEventListener('abort', stop);
        // The session has ended, and not only this stream.
        if (!again.signal.aborted) return;
      }
    });
  } finally {
    channel.close();
  }
}
