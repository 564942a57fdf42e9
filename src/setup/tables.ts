import type { FeatureTables } from '../store/tables.ts';

declare module '../store/tables.ts' {
  interface Tables {
    setup_links: { token_hash: string; expires_at: number };
  }
}

export const setupTables: FeatureTables = {
  carried: ['setup_links'],
  derived: [],
  expires: [{ table: 'setup_links', key: 'token_hash', column: 'expires_at', after: 0 }],
};
