import { removeOldEvents } from '../services/audit/clean.ts';
import { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
import { listEvents } from './list.ts';

export const auditOperations = [listEvents, recordFailedSignIn, removeOldEvents] as const;
