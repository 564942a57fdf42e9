interface Parsed {
  readonly id: string;
  readonly event: string;
  readonly data: object;
}

/** Longer frames are none of Stoa's. */
const MOST_CHARACTERS = 1_000_000;

/** Reads server-sent events (the HTML standard, 9.2) until the stream ends. An id without an event is told too. */
export async function parseEvents(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
  tell: (event: Parsed | { readonly id: string }) => void,
): Promise<void> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let text = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    text += value;
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    if (text.length > MOST_CHARACTERS) return reader.cancel();
    for (const frame of frames) tellFrame(frame, tell);
  }
}

function tellFrame(frame: string, tell: (event: Parsed | { readonly id: string }) => void): void {
  const fields = new Map<string, string>();
  for (const line of frame.split('\n')) {
    const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    fields.set(name, value);
  }
  const [id, event, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
  if (id === undefined) return;
  tell(event === undefined || data === undefined ? { id } : { id, event, data: JSON.parse(data) });
}
