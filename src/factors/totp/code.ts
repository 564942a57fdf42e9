import type { TOTP } from 'otpauth';
import type { Place } from '../../services/sealing/seal.ts';
import { readOperation } from '../../store/operation.ts';
import type { Db } from '../../store/tables.ts';
import type { Factor } from '../factor.ts';

/** RFC 6238, with the parameters that all authenticator apps understand. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** How many time steps the clock of the app may be ahead or behind. */
const DRIFT = 1;
/** 160 bits, as RFC 4226, 4, recommends. */
const SECRET_BYTES = 20;
const TYPED = /^\d{6}$/;

/** Six digits, with spaces wherever an app shows them; undefined for anything else. */
export function totpCodeIn(text: string): string | undefined {
  const digits = text.replace(/\s/g, '');
  return TYPED.test(digits) ? digits : undefined;
}

/** A new secret in base32, and the URI that apps read out of a QR code. */
export async function newTotp(label: {
  readonly issuer: string;
  readonly username: string;
}): Promise<{ readonly secret: string; readonly uri: string }> {
  const { Secret } = await library();
  const secret = new Secret({ size: SECRET_BYTES }).base32;
  return { secret, uri: (await totpOf(secret, label)).toString() };
}

/** The time step that has this code: the present one, or one next to it. `now` is in milliseconds since 1970. */
export async function stepOf(secret: string, code: string, now: number): Promise<number | undefined> {
  const totp = await totpOf(secret);
  const drift = totp.validate({ token: code, timestamp: now, window: DRIFT });
  return drift === null ? undefined : totp.counter({ timestamp: now }) + drift;
}

export function placeOfTotpSecret(id: string): Place {
  return { table: 'totp_secrets', row: id, column: 'secret_sealed' };
}

async function totpOf(
  base32: string,
  label?: { readonly issuer: string; readonly username: string },
): Promise<TOTP> {
  const { Secret, TOTP } = await library();
  const named = label ? { issuer: label.issuer, label: label.username } : {};
  return new TOTP({ ...PARAMETERS, ...named, secret: Secret.fromBase32(base32) });
}

/** The library is loaded at its first use, so that a start does not wait for it. */
function library() {
  return import('otpauth');
}

/** The secret of the authenticator app of an account: the one that is on, or the one that was begun. */
export function totpSecretOf(db: Db, userId: number, which: 'on' | 'begun') {
  return db
    .selectFrom('totp_secrets')
    .select(['id', 'secret_sealed', 'confirmed_at'])
    .where('user_id', '=', userId)
    .where('confirmed_at', which === 'on' ? 'is not' : 'is', null)
    .executeTakeFirst();
}

export const findTotpSecret = readOperation(
  'factors.find_totp_secret',
  async (db, userId: number) => (await totpSecretOf(db, userId, 'on')) ?? null,
);

/** Authenticator apps. A time step is used once, and none after a later one (RFC 6238, 5.2). */
export const totp: Factor<'totp'> = {
  standsAlone: true,
  isSetUp: async (db, userId) => (await totpSecretOf(db, userId, 'on')) !== undefined,
  use: async (db, userId, { secretId, step }) => {
    const used = await db
      .updateTable('totp_secrets')
      .set({ last_step: step })
      .where('id', '=', secretId)
      .where('user_id', '=', userId)
      .where('confirmed_at', 'is not', null)
      .where('last_step', '<', step)
      .returning('id')
      .executeTakeFirst();
    return used !== undefined;
  },
  remove: async (db, userId, since) => {
    await db
      .deleteFrom('totp_secrets')
      .where('user_id', '=', userId)
      .where((eb) => eb(eb.fn.coalesce('confirmed_at', 'created_at'), '>=', since))
      .execute();
  },
};
