import { signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

const AGAIN_MS = 5_000;

/** True once a file of the console was not there any more: the service has another version now, with other files. */
export const isOutdated = signal(false);
/** How many modules are wanted and not there, because nothing answers. */
const waiting = signal(0);
export const isWaitingForNetwork = () => waiting.value > 0;

/**
 * Loads a module, and tries again until it is there or not wanted any more. Returns what ends that. Without a network
 * nothing is tried before the service answers: Chromium never fetches a file again that failed once.
 */
export function untilLoaded<Module>(
  load: () => Promise<Module>,
  onLoaded: (module: Module) => void,
): () => void {
  const left = new AbortController();
  void tryUntilLoaded(load, onLoaded, left.signal);
  return () => left.abort();
}

async function tryUntilLoaded<Module>(
  load: () => Promise<Module>,
  onLoaded: (module: Module) => void,
  left: AbortSignal,
): Promise<void> {
  for (let isAgain = false; ; isAgain = true) {
    const mayTry = navigator.onLine || (await statusOfConsole()) > 0;
    const loaded = mayTry ? await load().then((module) => ({ module }), none) : undefined;
    const status = loaded ? 200 : await statusOfConsole();
    if (left.aborted) return;
    if (loaded) return onLoaded(loaded.module);
    // Where the service answers the second time too, only another page can load the file.
    if (status === 404 || (isAgain && mayTry && status > 0)) {
      isOutdated.value = true;
      return;
    }
    waiting.value++;
    await someTime(left);
    waiting.value--;
    if (left.aborted) return;
  }
}

const none = () => undefined;

/** What the service answers for the first file of this page; 0 without an answer. */
function statusOfConsole(): Promise<number> {
  const main = document.querySelector<HTMLScriptElement>('script[type=module]')?.src ?? '';
  return fetch(main, { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status,
    () => 0,
  );
}

/** Resolves when the network is back, after some seconds, or when nobody waits any more. */
function someTime(left: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController();
    const end = () => {
      over.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, AGAIN_MS);
    addEventListener('online', end, { signal: over.signal });
    left.addEventListener('abort', end, { signal: over.signal });
  });
}

/** A module that a view needs only at times: undefined until it is wanted and loaded. */
export function useLater<Module>(isWanted: boolean, load: () => Promise<Module>): Module | undefined {
  const loaded = useSignal<Module | undefined>(undefined);
  useEffect(() => {
    if (!isWanted || loaded.peek()) return undefined;
    return untilLoaded(load, (module) => {
      loaded.value = module;
    });
  }, [isWanted]);
  return loaded.value;
}
