export { recordFailedSignIn } from '../services/audit/failed-sign-in.ts';
export { beginTransfer, tellTransferred } from '../services/audit/transfer.ts';
export { listEvents, walkEvents } from './list.ts';
export { exportEvents } from './personal-data.ts';
