import { writeOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';

/** Does some of the search indexing that creating and changing put off. True when more is waiting. */
export const indexContent = writeOperation('content.index', (db, _: null, engine) => engine.indexContent(db));

/** How long an item may wait before indexing begins: a burst of writes goes first. */
const PAUSE_MS = 200;

/** Keeps the search index up in the background. The returned function stops it and waits for it. */
export function keepIndexed(store: Store, onError: (error: unknown) => void): () => Promise<void> {
  let running = Promise.resolve();
  const timer = setInterval(() => {
    running = running.then(() => indexRound(store)).catch(onError);
  }, PAUSE_MS);
  return async () => {
    clearInterval(timer);
    await running;
  };
}

async function indexRound(store: Store): Promise<void> {
  while (await store.write(indexContent, null));
}
