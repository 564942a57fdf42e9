import { hasAdmin } from './admin.ts';
import { disableAccount, enableAccount, setRole } from './administer.ts';
import { listUsers } from './list.ts';
import { findUser } from './me.ts';

export const userOperations = [
  disableAccount,
  enableAccount,
  findUser,
  hasAdmin,
  listUsers,
  setRole,
] as const;
