import type { Origin } from '../domain/origin.ts';

const LENGTH = 256;
/** Control characters, invisible ones and white space: nothing that could change how a list of devices is shown. */
const UNSHOWN = /[\p{C}\s]+/gu;

/** What a client tells of itself in the header User-Agent, on one line of 256 characters at most; undefined for nothing. */
export function deviceOf(userAgent = ''): string | undefined {
  const shown = userAgent.replace(UNSHOWN, ' ').trim().slice(0, LENGTH);
  return shown === '' ? undefined : shown;
}

/** Who signs in. */
export interface Client {
  readonly origin: Origin;
  /** What the client tells of itself (`deviceOf`). */
  readonly device?: string | undefined;
}
