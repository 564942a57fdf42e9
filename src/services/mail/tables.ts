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
  sealed: [{ table: 'mails', row: 'id', column: 'secret_sealed' }],
};
