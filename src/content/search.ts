import { setTimeout } from 'node:timers/promises';
import { writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';

/** Does some of the search indexing that creating and changing put off. True when more is waiting. */
export const indexContent = writeOperation('content.index', (db, _: null, engine) => engine.indexContent(db));

const IDLE_MS = 200;
const FAILED_MS = 5_000;

/** Keeps the search index up in the background. The returned function stops it and waits for it. */
export function keepIndexed(store: Store, onError: (error: unknown) => void): () => Promise<void> {
  const stop = new AbortController();
  const loop = async () => {
    while (!stop.signal.aborted) {
      const pause = await indexRound(store).catch((error) => {
        onError(error);
        return FAILED_MS;
      });
      await setTimeout(pause, null, { signal: stop.signal }).catch(() => {});
    }
  };
  const running = loop();
  return () => {
    stop.abort();
    return running;
  };
}

/** The milliseconds to rest: four times the work, so that a backlog takes a fifth of the writer at most. */
async function indexRound(store: Store): Promise<number> {
  const start = performance.now();
  const isMoreWaiting = await store.write(indexContent, null);
  return isMoreWaiting ? 4 * (performance.now() - start) : IDLE_MS;
}
