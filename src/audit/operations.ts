import { removeOldEvents } from '../services/audit/clean.ts';
import { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
import { beginTransfer, tellTransferred } from '../services/audit/transfer.ts';
import { listEvents } from './list.ts';
import { exportEvents } from './personal-data.ts';

export const auditOperations = [
  beginTransfer,
  exportEvents,
  listEvents,
  recordFailedSignIn,
  removeOldEvents,
  tellTransferred,
] as const;
