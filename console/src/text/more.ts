import { addTexts, type MoreTexts } from './text.ts';

const account: MoreTexts = {
  en: async () => (await import('./account.en.ts')).account,
  de: async () => (await import('./account.de.ts')).account,
};
const bulk: MoreTexts = {
  en: async () => (await import('./bulk.en.ts')).bulk,
  de: async () => (await import('./bulk.de.ts')).bulk,
};
const door: MoreTexts = {
  en: async () => (await import('./door.en.ts')).door,
  de: async () => (await import('./door.de.ts')).door,
};
const events: MoreTexts = {
  en: async () => (await import('./events.en.ts')).events,
  de: async () => (await import('./events.de.ts')).events,
};
const labels: MoreTexts = {
  en: async () => (await import('./labels.en.ts')).labels,
  de: async () => (await import('./labels.de.ts')).labels,
};
const past: MoreTexts = {
  en: async () => (await import('./past.en.ts')).past,
  de: async () => (await import('./past.de.ts')).past,
};
const people: MoreTexts = {
  en: async () => (await import('./people.en.ts')).people,
  de: async () => (await import('./people.de.ts')).people,
};
const requests: MoreTexts = {
  en: async () => (await import('./requests.en.ts')).requests,
  de: async () => (await import('./requests.de.ts')).requests,
};
const system: MoreTexts = {
  en: async () => (await import('./system.en.ts')).system,
  de: async () => (await import('./system.de.ts')).system,
};
const trail: MoreTexts = {
  en: async () => (await import('./trail.en.ts')).trail,
  de: async () => (await import('./trail.de.ts')).trail,
};
const webhooks: MoreTexts = {
  en: async () => (await import('./webhooks.en.ts')).webhooks,
  de: async () => (await import('./webhooks.de.ts')).webhooks,
};
const MORE = { account, bulk, door, events, labels, past, people, requests, system, trail, webhooks };

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
