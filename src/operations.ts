import { removeExpiredSessions } from './auth/clean.ts';
import { addSigningKey, keepFirstSigningKey, listSigningKeys, removeOldSigningKeys } from './auth/keys.ts';
import { findAccount, startSession } from './auth/login.ts';
import { answerOtherToken, rotateRefreshToken } from './auth/refresh.ts';
import { createAccount } from './auth/register.ts';
import { findSecret, keepSecret } from './auth/secret.ts';
import { endSession, findCaller } from './auth/session.ts';
import { createContent } from './content/create.ts';
import { deleteContent } from './content/delete.ts';
import { findContent } from './content/find.ts';
import { listContent } from './content/list.ts';
import { updateContent } from './content/update.ts';
import { hasAdmin } from './users/admin.ts';
import { disableAccount, enableAccount, setRole } from './users/administer.ts';
import { listUsers } from './users/list.ts';
import { findUser } from './users/me.ts';

/** Every operation of every feature: the threads of the store find them here by name. */
export const OPERATIONS = [
  addSigningKey,
  answerOtherToken,
  createAccount,
  createContent,
  deleteContent,
  disableAccount,
  enableAccount,
  endSession,
  findAccount,
  findCaller,
  findContent,
  findSecret,
  findUser,
  hasAdmin,
  keepFirstSigningKey,
  keepSecret,
  listContent,
  listSigningKeys,
  listUsers,
  removeExpiredSessions,
  removeOldSigningKeys,
  rotateRefreshToken,
  setRole,
  startSession,
  updateContent,
] as const;
