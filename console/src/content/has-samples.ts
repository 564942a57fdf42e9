import { account } from './shell.ts';

export const keyOfSamples = () => `stoa.samples.${account()?.id}`;

/** Has this account made sample items in this browser, and not removed them there? */
export function hasSamples(): boolean {
  try {
    return localStorage.getItem(keyOfSamples()) !== null;
  } catch {
    return false;
  }
}
