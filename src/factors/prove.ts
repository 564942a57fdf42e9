import type { PasskeyDescriptor, PasskeyRequestOptions } from '../domain/second-factor.ts';
import type { Proof } from './factor.ts';
import type { FactorParts } from './parts.ts';
import { checkUse } from './passkeys/check-use.ts';
import type { AuthenticationResponse } from './passkeys/contract.ts';
import { requestOptions } from './passkeys/request-options.ts';
import { hashOfRecoveryCode } from './recovery-codes/codes.ts';
import { findTotpSecret, placeOfTotpSecret, stepOf, totpCodeIn } from './totp/code.ts';

/** What a client sends to prove a second factor. */
export interface Answer {
  readonly code?: string;
  /** A use of a passkey. */
  readonly response?: AuthenticationResponse;
}

/** Which login the answer is for. */
interface Login {
  readonly userId: number;
  /** The hash of its challenge. */
  readonly loginHash: string;
}

/** What a browser needs to complete the login. Undefined where the account or the service has no passkeys. */
export function optionsToComplete(
  parts: FactorParts,
  loginHash: string,
  passkeys: PasskeyDescriptor[],
): PasskeyRequestOptions | undefined {
  return passkeys.length === 0 ? undefined : requestOptions(parts, completing(loginHash), passkeys);
}

/**
 * Checks the answer as far as possible without a write. The proof is good only when a write has used it up
 * (`useProof`). Undefined where the answer is wrong. Each kind of factor has a branch here.
 */
export async function prove(
  parts: FactorParts,
  { userId, loginHash }: Login,
  { code = '', response }: Answer,
): Promise<Proof | undefined> {
  if (response) {
    const checked = await checkUse(parts, response, completing(loginHash));
    return 'proof' in checked ? { kind: 'passkey', ...checked.proof } : undefined;
  }
  const totpCode = totpCodeIn(code);
  if (totpCode !== undefined) return proveTotp(parts, userId, totpCode);
  return { kind: 'recovery_code', codeHash: hashOfRecoveryCode(userId, code) };
}

/** The purpose of a passkey's challenge after a password: it is good for this one login. */
function completing(loginHash: string): string {
  return `second factor of ${loginHash}`;
}

async function proveTotp(
  { store, sealing, clock }: FactorParts,
  userId: number,
  code: string,
): Promise<Proof | undefined> {
  const kept = await store.read(findTotpSecret, userId);
  if (!kept) return undefined;
  const secret = sealing.unseal(placeOfTotpSecret(kept.id), kept.secret_sealed);
  const step = await stepOf(secret, code, clock());
  return step === undefined ? undefined : { kind: 'totp', secretId: kept.id, step };
}
