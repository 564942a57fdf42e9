import { DAY_MS } from '../../domain/time.ts';
import type { FeatureTables } from '../../store/tables.ts';
import type { TemplateName } from './templates.ts';

declare module '../../store/tables.ts' {
  interface Tables {
    mails: {
      id: string;
      recipient: string;
      template: TemplateName;
      template_values: string;
      secret_sealed: string | null;
      /** Null if no request caused the mail. */
      source_key: string | null;
      made_at: number;
      attempts: number;
      next_attempt_at: number;
      give_up_at: number;
      account_id: number | null;
    };
  }
}

/** Carried by a move, so that no waiting mail is lost. */
export const mailTables: FeatureTables = {
  carried: ['mails'],
  derived: [],
  // A mail was useless before: its next attempt is never after the time of giving up, and at most a day before. Where no
  // mail server is set, nothing else removes what an earlier setting left.
  expires: [{ table: 'mails', key: 'id', column: 'next_attempt_at', after: DAY_MS }],
  sealed: [{ table: 'mails', row: 'id', column: 'secret_sealed' }],
};
