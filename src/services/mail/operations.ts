export { claimDueMails, lookIntoOutbox, removeMail } from './outbox.ts';
