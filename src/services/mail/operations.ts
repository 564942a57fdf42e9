import { claimDueMails, lookIntoOutbox, removeMail } from './outbox.ts';

export const mailOperations = [claimDueMails, lookIntoOutbox, removeMail] as const;
