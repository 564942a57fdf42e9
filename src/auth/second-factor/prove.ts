import type { Proof } from '../factor.ts';
import type { AuthParts } from '../parts.ts';
import type { AuthenticationResponse } from '../passkeys/contract.ts';
import { provePasskey } from '../passkeys/prove.ts';
import { hashOfRecoveryCode } from './recovery-codes.ts';
import { placeOfTotpSecret, stepOf, totpCodeIn } from './totp-code.ts';
import { findTotpSecret } from './totp-secrets.ts';

/** What a client sends to prove a second factor. */
export interface Answer {
  readonly code?: string;
  /** A use of a passkey. */
  readonly response?: AuthenticationResponse;
}

/** Which login the answer is for. */
interface Login {
  readonly userId: number;
  /** Of its challenge. */
  readonly loginHash: string;
}

/**
 * Checks the answer as far as that goes without a write. The write that it lets through uses the proof up (`useProof`), and
 * only then is it good. Undefined where the answer is wrong. Each kind of factor has a branch here.
 */
export async function prove(
  parts: AuthParts,
  login: Login,
  { code = '', response }: Answer,
): Promise<Proof | undefined> {
  const { userId } = login;
  if (response) {
    const proof = await provePasskey(parts, login.loginHash, response);
    return proof && { kind: 'passkey', ...proof };
  }
  const totpCode = totpCodeIn(code);
  if (totpCode !== undefined) return proveTotp(parts, userId, totpCode);
  return { kind: 'recovery_code', codeHash: hashOfRecoveryCode(userId, code) };
}

async function proveTotp(
  { store, sealing, clock }: AuthParts,
  userId: number,
  code: string,
): Promise<Proof | undefined> {
  const kept = await store.read(findTotpSecret, userId);
  if (!kept) return undefined;
  const secret = sealing.unseal(placeOfTotpSecret(kept.id), kept.secret_sealed);
  const step = await stepOf(secret, code, clock());
  return step === undefined ? undefined : { kind: 'totp', secretId: kept.id, step };
}
