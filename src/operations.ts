import { FEATURES } from './features.ts';

/** Every operation of every feature: the threads of the store find them here by name. */
export const OPERATIONS = (
  await Promise.all(FEATURES.map(async ({ operations }) => (await operations?.()) ?? []))
).flat();
