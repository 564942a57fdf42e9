import { freeNames } from '../accounts/free-names.ts';
import { findAccountId, hasAdmin } from './admin.ts';
import { disableAccount, enableAccount, endSessionsOfAccount, setRole } from './administer.ts';
import { listUsers } from './list.ts';
import { findUser } from './me.ts';
import { updateMe } from './update-me.ts';

export const userOperations = [
  disableAccount,
  enableAccount,
  endSessionsOfAccount,
  findUser,
  findAccountId,
  freeNames,
  hasAdmin,
  listUsers,
  setRole,
  updateMe,
] as const;
