import { randomBytes } from 'node:crypto';
import type { Db } from '../../store/tables.ts';
import type { Place } from './seal.ts';
import { keyChanged, type Sealing } from './sealing.ts';
import { isSealedUnder } from './secrets.ts';

/** A secret that is sealed to its future row. */
export interface SealedSecret {
  /** Of the row. */
  readonly id: string;
  readonly sealed: string;
  /** `Sealing.check` of the key under which it is sealed. */
  readonly sealedUnder: string;
}

/** Seals a secret before the write that stores it, because only the main thread has the sealing key. */
export function sealSecret(sealing: Sealing, placeOf: (id: string) => Place, secret: string): SealedSecret {
  const id = randomBytes(16).toString('base64url');
  return { id, sealed: sealing.seal(placeOf(id), secret), sealedUnder: sealing.check };
}

/** Inside the write that stores the secret. Fails with OperatorError where the sealing key was replaced meanwhile. */
export async function requireSealingKey(db: Db, { sealedUnder }: SealedSecret): Promise<void> {
  if (!(await isSealedUnder(db, sealedUnder))) throw keyChanged();
}
