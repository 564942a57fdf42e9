import { removeOldEvents } from '../services/audit/clean.ts';
import { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
import { beginTransfer, tellTransferred } from '../services/audit/transfer.ts';
import { listEvents } from './list.ts';

export const auditOperations = [
  beginTransfer,
  listEvents,
  recordFailedSignIn,
  removeOldEvents,
  tellTransferred,
] as const;
