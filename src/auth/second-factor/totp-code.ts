import type { TOTP } from 'otpauth';
import type { Place } from '../../services/sealing/seal.ts';

/** RFC 6238 with what all authenticator apps understand. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps that the clock of the app may be ahead or behind. */
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

/** The time step whose code this is: the present one, or one beside it. Undefined where the code is of none. `now` is in ms since 1970. */
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

/** Loaded at the first use: a start takes no time for it. */
function library() {
  return import('otpauth');
}
