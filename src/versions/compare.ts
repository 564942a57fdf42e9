import { Thread } from '../domain/thread.ts';
import type { Store } from '../store/store.ts';
import type { Difference, Texts } from './difference.ts';
import { type FoundVersion, wholeVersion } from './find.ts';

const thread = new Thread<Texts, Difference>(new URL('./difference-thread.ts', import.meta.url), {
  limit: 2,
  accepts: (difference) => typeof difference === 'object' && difference !== null && 'places' in difference,
  keepsAlive: false,
});

interface Comparison {
  readonly id: number;
  readonly userId: number;
  /** 0 stands for the time before there was an item. */
  readonly from: number;
  readonly to: number;
}

export interface ComparedVersions {
  readonly earlier: FoundVersion | undefined;
  readonly later: FoundVersion;
  readonly content: Difference;
}

/** Compares two versions of an item. Fails with `not_found`, `forbidden` or `busy`. */
export async function compareVersions(
  store: Store,
  { id, userId, from, to }: Comparison,
): Promise<ComparedVersions> {
  const later = await wholeVersion(store, { id, userId, version: to });
  const earlier = from === 0 ? undefined : await wholeVersion(store, { id, userId, version: from });
  const texts = { from: earlier?.written.content ?? '', to: later.written.content };
  return { earlier, later, content: await thread.call(texts) };
}
