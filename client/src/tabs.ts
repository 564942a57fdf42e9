/** What tabs tell one another: a token and its milliseconds of life, or that the session has ended. */
export interface Message {
  readonly token?: string;
  readonly life: number;
  readonly out?: boolean;
  /** Of another session than before. */
  readonly isNew?: boolean;
}

export interface Tabs {
  readonly isOpen: boolean;
  readonly tell: (message: Message) => void;
  /** Resolves with the next message, and at the latest after this time. */
  readonly heard: (milliseconds: number) => Promise<void>;
}

/** The other tabs with the same tokens, where the browser lets tabs talk. */
export function openTabs(name: string | undefined, hear: (message: Message) => void): Tabs {
  if (name === undefined || !globalThis.BroadcastChannel)
    return { isOpen: false, tell: () => {}, heard: async () => {} };
  const channel = new BroadcastChannel(name);
  // A program of Node.js may end while a channel is open.
  Object(channel).unref?.();
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => hear(data));
  return {
    isOpen: true,
    tell: (message) => channel.postMessage(message),
    heard: (milliseconds) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        const stop = () => {
          clearTimeout(timer);
          resolve();
        };
        channel.addEventListener('message', stop, { once: true });
      }),
  };
}
