export { findChallenge, openChallenge, refuseSecondFactor, tryChallenge } from './challenge.ts';
export { completeChallenge } from './complete.ts';
export { startSession } from './login.ts';
export { startPasskeySession } from './passkey.ts';
export { restoreAccount } from './restore.ts';
