import { findAccountId, hasAdmin } from './admin.ts';
import { disableAccount, enableAccount, endSessionsOfAccount, setRole } from './administer.ts';
import { listUsers } from './list.ts';
import { findUser } from './me.ts';

export const userOperations = [
  disableAccount,
  enableAccount,
  endSessionsOfAccount,
  findUser,
  findAccountId,
  hasAdmin,
  listUsers,
  setRole,
] as const;
