import type { AnyFailure, CallInput, Data } from '@stoa/client';
import type { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';

type RequestOptions = Data<'beginPasskeyLogin'>;
type CreationOptions = Data<'beginPasskeyRegistration'>;

/** An address of numbers, for which no browser makes a passkey (WebAuthn, 5.1.3). */
const IP = /^[\d.]+$|^\[/;

/** Can this browser use passkeys at this address, and hand them over as JSON? */
export function hasPasskeys(): boolean {
  if (IP.test(location.hostname)) return false;
  return 'PublicKeyCredential' in globalThis && 'parseRequestOptionsFromJSON' in PublicKeyCredential;
}

type Used = Parameters<typeof stoa.completeSignIn<'loginWithPasskey'>>[1]['response'];
type Made = CallInput<'addPasskey'>['body']['response'];

/** Asks the person for a passkey. A failure where there was none, such as a dialog that was closed. */
export function getPasskey(options: RequestOptions): Promise<Used | AnyFailure> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as unknown as PublicKeyCredentialRequestOptionsJSON,
  );
  return attempt<Used>(() => navigator.credentials.get({ publicKey }));
}

/** Asks the person to make a passkey. */
export function makePasskey(options: CreationOptions): Promise<Made | AnyFailure> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  return attempt<Made>(() => navigator.credentials.create({ publicKey }));
}

/** The service names a passkey that it refuses as it names a wrong password, or a wrong code in the second step. */
export function passkeyFailure(failure: AnyFailure): AnyFailure {
  const isRefused = ['bad_credentials', 'code_invalid'].includes(failure.error.error);
  return isRefused ? { ...failure, error: { ...failure.error, error: 'passkey_refused' } } : failure;
}

/** Browsers write what the service takes (WebAuthn, 5.1); their types are wider. */
async function attempt<Response>(ask: () => Promise<Credential | null>): Promise<Response | AnyFailure> {
  try {
    const credential = await ask();
    if (credential instanceof PublicKeyCredential) return credential.toJSON() as Response;
  } catch {
    // Browsers say little of why, so that no page learns what a person has.
  }
  return { ok: false, status: 0, error: { error: 'no_passkey_used', message: text('passkey.none') } };
}
