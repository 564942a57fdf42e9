export { acceptInvitation, requireInvitation } from './accept-invitation.ts';
export { beginRegistration } from './begin.ts';
export { resendRegistration } from './pending.ts';
