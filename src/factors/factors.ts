import type { By } from '../domain/by.ts';
import { forbidden } from '../domain/failure.ts';
import type { Origin } from '../domain/origin.ts';
import type { SecondFactor } from '../domain/second-factor.ts';
import { recordEvent } from '../services/audit/record.ts';
import { forgetOtherDevices } from '../services/limits/devices.ts';
import { endChallenges } from '../services/links/links.ts';
import type { Engine } from '../store/operation.ts';
import type { Db } from '../store/tables.ts';
import type { Factor, Proof } from './factor.ts';
import { passkeyFactor } from './passkeys/use.ts';
import { recoveryCodes } from './recovery-codes/codes.ts';
import { totp } from './totp/code.ts';

/** The one list of factors. `prove.ts` checks each before the write. */
const FACTORS: { readonly [Kind in SecondFactor]: Factor<Kind> } = {
  totp,
  passkey: passkeyFactor,
  recovery_code: recoveryCodes,
};
const KINDS = Object.entries(FACTORS) as readonly (readonly [SecondFactor, Factor<SecondFactor>])[];

/** Uses a proof of any kind up, inside the write that needs it. False where it is wrong or was used before. */
export function useProof<Kind extends SecondFactor>(
  db: Db,
  userId: number,
  proof: Proof<Kind>,
): Promise<boolean> {
  return FACTORS[proof.kind].use(db, userId, proof);
}

/** The kinds of factors that the account has. */
export async function factorsOf(db: Db, userId: number): Promise<SecondFactor[]> {
  const kinds: SecondFactor[] = [];
  for (const [kind, { isSetUp }] of KINDS) if (await isSetUp(db, userId)) kinds.push(kind);
  return kinds;
}

/**
 * Called by each write that added or removed a factor, before its events: updates `users.second_factor`, and removes
 * the substitutes with the last factor. The first factor makes strangers of all other devices. Fails with `forbidden`
 * where the account must have a factor and has none left.
 */
export async function settleFactors(
  db: Db,
  userId: number,
  { mustHave, origin }: { mustHave: boolean; origin: Origin | null },
  engine: Engine,
): Promise<void> {
  const hasFactor = (await factorsOf(db, userId)).some((kind) => FACTORS[kind].standsAlone);
  if (!hasFactor && mustHave) {
    throw forbidden('Your account must have a second factor; add another before you remove the last one.');
  }
  if (!hasFactor) await removeFactors(db, userId, 0);
  const second_factor = hasFactor ? 1 : 0;
  const changed = await db
    .updateTable('users')
    .set({ second_factor })
    .where('id', '=', userId)
    .where('second_factor', '!=', second_factor)
    .returning('id')
    .executeTakeFirst();
  if (!changed) return;
  if (hasFactor) await forgetOtherDevices(db, userId, origin);
  await engine.announce(db, { topic: 'account', key: userId });
}

/** Removes the factors that were set up since that moment, and ends the sign-ins that wait for a factor. */
async function removeFactors(db: Db, userId: number, since: number): Promise<void> {
  for (const [, { remove }] of KINDS) await remove(db, userId, since);
  await endChallenges(db, userId);
}

interface Loss extends By {
  readonly userId: number;
  /** Factors that were set up earlier stay. Milliseconds since 1970; 0 removes all. */
  readonly since: number;
}

/**
 * Removes the factors that were set up since a moment, because their owner lost them, or because another person may
 * have set them up. Recovery codes are always removed, since nobody knows who has them. Returns the kinds that the
 * account no longer has.
 */
export async function resetFactors(
  db: Db,
  { userId, since, now, origin, actor }: Loss,
  engine: Engine,
): Promise<SecondFactor[]> {
  const before = await factorsOf(db, userId);
  await removeFactors(db, userId, since);
  await settleFactors(db, userId, { mustHave: false, origin }, engine);
  const after = await factorsOf(db, userId);
  const removed = before.filter((kind) => !after.includes(kind));
  if (removed.length === 0) return [];
  const about = { accountId: userId, detail: { removed: removed.join(', ') } };
  await recordEvent(db, { event: 'second_factors_reset', at: now, origin, ...about, ...actor });
  return removed;
}
