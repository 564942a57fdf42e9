import { compareSync } from 'bcryptjs';
import type { ReadHash } from './read-hash.ts';

/**
 * Modular crypt format: cost, 22 characters of salt and 31 of digest. The last character of each has bits that are
 * always zero. `$2x$` is left out, because it marks hashes of an implementation with a bug.
 */
const FORM = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/;

const LEAST_COST = 4;
/** Each step doubles the work. */
const MOST_COST = 13;

/** Reads a hash of bcrypt. Undefined for any other text. */
export function readBcrypt(hash: string): ReadHash | undefined {
  const cost = Number(FORM.exec(hash)?.[1]);
  if (!(cost >= LEAST_COST && cost <= 31)) return undefined;
  return {
    isAffordable: cost <= MOST_COST,
    limit: `a cost of ${MOST_COST}`,
    verify: (password) => compareSync(password, hash),
  };
}
