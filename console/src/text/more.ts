import { addTexts, type MoreTexts } from './text.ts';

const MORE = {
  account: { en: () => import('./account.en.ts'), de: () => import('./account.de.ts') },
  bulk: { en: () => import('./bulk.en.ts'), de: () => import('./bulk.de.ts') },
  door: { en: () => import('./door.en.ts'), de: () => import('./door.de.ts') },
  events: { en: () => import('./events.en.ts'), de: () => import('./events.de.ts') },
  labels: { en: () => import('./labels.en.ts'), de: () => import('./labels.de.ts') },
  past: { en: () => import('./past.en.ts'), de: () => import('./past.de.ts') },
  people: { en: () => import('./people.en.ts'), de: () => import('./people.de.ts') },
  requests: { en: () => import('./requests.en.ts'), de: () => import('./requests.de.ts') },
  system: { en: () => import('./system.en.ts'), de: () => import('./system.de.ts') },
  trail: { en: () => import('./trail.en.ts'), de: () => import('./trail.de.ts') },
  webhooks: { en: () => import('./webhooks.en.ts'), de: () => import('./webhooks.de.ts') },
} satisfies Readonly<Record<string, MoreTexts>>;

/** A view that has texts which the others do not load: both are loaded together. */
export function withTexts<View>(
  names: readonly (keyof typeof MORE)[],
  load: () => Promise<View>,
): () => Promise<View> {
  return async () => {
    const [view] = await Promise.all([load(), ...names.map((name) => addTexts(MORE[name]))]);
    return view;
  };
}
