import { claimDueMails, hasDueMail, removeSentMail } from './outbox.ts';

export const mailOperations = [claimDueMails, hasDueMail, removeSentMail] as const;
