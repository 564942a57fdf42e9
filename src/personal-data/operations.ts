import { closeOwnAccount } from './close-own.ts';
import { beginExport } from './export.ts';
import { beginRemoval, finishRemoval, nextDue } from './removal.ts';
import { removeUser } from './remove-user.ts';

export const personalDataOperations = [
  beginExport,
  beginRemoval,
  closeOwnAccount,
  finishRemoval,
  nextDue,
  removeUser,
] as const;
