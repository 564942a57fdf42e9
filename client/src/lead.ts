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

/** What comes of a stream. `heard` is called for everything, also a comment. */
export interface Ears<Event> {
  readonly tell: (event: Event | Mark) => void;
  readonly heard: () => void;
}

type Stream<Event> = (from: () => string | undefined, ears: Ears<Event>, until: AbortSignal) => Promise<void>;

/** What the leader tells, and where its stream was before. Without `before` nothing came before: it is where "now" is. */
interface Told<Event> {
  readonly event: Event | Mark;
  readonly before: string | undefined;
}

/** What a tab asks the leader for: events after this id, or where "now" is. */
interface Wish {
  readonly after: string | undefined;
}

/** Twice the pause of the service's comments, and some more: a stream, or a leader, that is silent for longer is dead. */
export const SILENCE_MS = 40_000;
/** How long a leader that seems silent may take to answer: this tab may have been frozen itself. */
const ANSWER_MS = 3_000;

/**
 * One tab reads the stream and tells the others, as long as it holds the lock. The next one goes on after its own last event
 * once the first is gone, or is silent: browsers suspend tabs in the background, which keep their locks. A tab that would
 * miss something takes nothing and asks the leader to read it again. Without locks or channels each tab reads a stream of
 * its own.
 */
export async function leadOrFollow<Event extends { readonly id: string }>(
  name: string | undefined,
  { last, take, signal }: Listener<Event>,
  stream: Stream<Event>,
): Promise<void> {
  const locks = globalThis.navigator?.locks;
  if (name === undefined || !locks || !globalThis.BroadcastChannel)
    return stream(last, { tell: take, heard: () => {} }, signal);
  const channel = new BroadcastChannel(name);
  const send = (message: Told<Event> | Wish) => channel.postMessage(message);
  let lead: ((wish: Wish) => void) | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onSilence = () => {};
  const heardLeader = () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      send({ after: last() });
      // Not all tabs at the same moment.
      timer = setTimeout(() => onSilence(), ANSWER_MS * (1 + Math.random()));
    }, SILENCE_MS);
  };
  channel.addEventListener('message', ({ data }: MessageEvent<Told<Event> | Wish>) => {
    if ('after' in data) return lead?.(data);
    if (lead) return;
    heardLeader();
    if (lacks(last(), data.before)) send({ after: last() });
    else take(data.event);
  });
  send({ after: last() });
  try {
    for (let isSilent = false; !signal.aborted; ) {
      // Of this try to lead: the wait for the lock, and the lead itself.
      const ended = new AbortController();
      const end = () => ended.abort();
      signal.addEventListener('abort', end);
      onSilence = end;
      heardLeader();
      const options = isSilent ? { steal: true } : { signal: ended.signal };
      const isOver = await locks
        .request(name, options, () => {
          clearTimeout(timer);
          return leadUntil(ended.signal).then(() => true);
        })
        .catch((error: unknown) => {
          if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
        });
      if (isOver) return;
      // The wait ended because nothing was heard, or another tab took the lead from this one.
      isSilent = !lead;
      lead = undefined;
      end();
      signal.removeEventListener('abort', end);
    }
  } finally {
    clearTimeout(timer);
    channel.close();
  }

  async function leadUntil(ended: AbortSignal): Promise<void> {
    // Where the stream is. That is behind this tab while another one is told what it lacks.
    let at = last();
    const heard = () => {
      if (at !== undefined && !ended.aborted) send({ event: { id: at }, before: at });
    };
    heard();
    while (!ended.aborted) {
      const again = new AbortController();
      const stop = () => again.abort();
      ended.addEventListener('abort', stop);
      lead = ({ after }) => {
        const now = last();
        if (after === undefined) {
          if (now !== undefined) send({ event: { id: now }, before: undefined });
          return;
        }
        // Where the stream has not begun, its first id tells the tab to ask again.
        if (at === undefined || !lacks(after, at)) return heard();
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
      await stream(() => at, { tell, heard }, again.signal);
      ended.removeEventListener('abort', stop);
      // The session has ended, and not only this stream.
      if (!again.signal.aborted) return;
    }
  }
}

/** Would a tab with this last id miss something that came before? */
function lacks(last: string | undefined, before: string | undefined): boolean {
  if (last === undefined || before === undefined) return last !== before;
  return Number.parseInt(last, 10) < Number.parseInt(before, 10);
}
