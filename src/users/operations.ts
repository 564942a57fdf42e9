import { freeNames } from '../accounts/free-names.ts';
import { findAccountId, hasAdmin } from './admin.ts';
import { disableAccount, enableAccount, endSessionsOfAccount, setRole } from './administer.ts';
import { changeUser } from './change.ts';
import { endUserSessions } from './end-user-sessions.ts';
import { findUserForAdmin } from './find-for-admin.ts';
import { listUsers } from './list.ts';
import { listUsersForAdmins } from './list-for-admins.ts';
import { findUser } from './me.ts';
import { updateMe } from './update-me.ts';

export const userOperations = [
  changeUser,
  disableAccount,
  enableAccount,
  endSessionsOfAccount,
  endUserSessions,
  findUser,
  findUserForAdmin,
  findAccountId,
  freeNames,
  hasAdmin,
  listUsers,
  listUsersForAdmins,
  setRole,
  updateMe,
] as const;
