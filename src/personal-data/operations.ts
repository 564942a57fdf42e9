import { closeOwnAccount } from './close-own.ts';
import { beginRemoval, finishRemoval, nextDue } from './removal.ts';
import { removeUser } from './remove-user.ts';

export const personalDataOperations = [
  beginRemoval,
  closeOwnAccount,
  finishRemoval,
  nextDue,
  removeUser,
] as const;
