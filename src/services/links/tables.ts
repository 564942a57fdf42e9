import type { Generated } from 'kysely';
import type { FeatureTables } from '../../store/tables.ts';
import type { Purpose } from './purposes.ts';

declare module '../../store/tables.ts' {
  interface Tables {
    links: {
      id: Generated<number>;
      token_hash: string;
      purpose: Purpose;
      /** Null for a registration. */
      user_id: number | null;
      email: string;
      email_key: string;
      /** Null except for registrations. */
      source_key: string | null;
      /** JSON; see `Carries`. */
      carries: string;
      expires_at: number;
    };
  }
}

export const linkTables: FeatureTables = {
  carried: ['links'],
  derived: [],
  expires: [{ table: 'links', key: 'id', column: 'expires_at', after: 0 }],
};
