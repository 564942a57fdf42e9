export { createInvitation } from './create.ts';
export { listInvitations } from './list.ts';
export { exportInvitations } from './personal-data.ts';
export { revokeInvitation } from './revoke.ts';
