import assert from 'node:assert/strict';
import { until } from '../../support/until.ts';

/** An event as a browser sees it. */
export interface StreamedEvent {
  readonly id: string;
  readonly name: string;
  readonly data: {
    readonly event: string;
    readonly id: number;
    readonly version?: number;
    readonly at: string;
  };
}

/** One who listens to GET /api/events. */
export interface Listener {
  readonly events: readonly StreamedEvent[];
  /** The names of the events of one item, in the order of their arrival. */
  readonly namesOf: (id: number) => string[];
  /** Waits until this event of this item arrived. */
  readonly heard: (name: string, id: number) => Promise<void>;
  readonly isOver: () => boolean;
  readonly close: () => void;
}

/**
 * Begins to listen, with a token or a ticket, after the event with that id where one is given. `from` is the address of
 * the client, as a proxy would give it.
 */
export async function listen(
  url: string,
  { token, ticket, after, from }: { token?: string; ticket?: string; after?: string; from?: string },
): Promise<Listener> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/events${ticket === undefined ? '' : `?ticket=${ticket}`}`, {
    signal: leaving.signal,
    headers: {
      accept: 'text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(after === undefined ? {} : { 'last-event-id': after }),
      ...(from === undefined ? {} : { 'x-forwarded-for': from }),
    },
  });
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  const pieces = response.body?.pipeThrough(new TextDecoderStream()) ?? [];
  return listenerOf(pieces, () => leaving.abort());
}

/** One who reads a stream that has begun. */
export function listenerOf(pieces: AsyncIterable<string> | Iterable<string>, close: () => void): Listener {
  const events: StreamedEvent[] = [];
  let isOver = false;
  const reading = async () => {
    let rest = '';
    for await (const piece of pieces) {
      const blocks = (rest + piece).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const line = (name: string) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
        const data = line('data');
        if (data) events.push({ id: line('id') ?? '', name: line('event') ?? '', data: JSON.parse(data) });
      }
    }
  };
  void reading()
    .catch(() => {})
    .finally(() => {
      isOver = true;
    });
  // An account may have the same id.
  const ofItems = () => events.filter(({ name }) => name.startsWith('content.'));
  const namesOf = (id: number) =>
    ofItems()
      .filter(({ data }) => data.id === id)
      .map(({ name }) => name);
  return {
    events,
    namesOf,
    heard: (name, id) => until(() => namesOf(id).includes(name), `${name} of item ${id} is heard`),
    isOver: () => isOver,
    close,
  };
}
