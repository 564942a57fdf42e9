import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    second_factor_challenges: {
      token_hash: string;
      user_id: number;
      line: string;
      tries: number;
      expires_at: number;
    };
  }
}

export const signInTables: FeatureTables = {
  carried: ['second_factor_challenges'],
  derived: [],
  expires: [{ table: 'second_factor_challenges', key: 'token_hash', column: 'expires_at', after: 0 }],
};
