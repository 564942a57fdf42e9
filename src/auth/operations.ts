import { removeExpiredSessions } from './clean.ts';
import { findAccount, startSession } from './login.ts';
import { answerOtherToken, rotateRefreshToken } from './refresh.ts';
import { createAccount } from './register.ts';
import { findSecret, keepSecret } from './secret.ts';
import { endSession, findCaller } from './session.ts';
import { addSigningKey, keepFirstSigningKey, listSigningKeys, removeOldSigningKeys } from './signing-keys.ts';

export const authOperations = [
  addSigningKey,
  answerOtherToken,
  createAccount,
  endSession,
  findAccount,
  findCaller,
  findSecret,
  keepFirstSigningKey,
  keepSecret,
  listSigningKeys,
  removeExpiredSessions,
  removeOldSigningKeys,
  rotateRefreshToken,
  startSession,
] as const;
