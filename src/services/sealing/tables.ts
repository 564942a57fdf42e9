import type { FeatureTables } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Tables {
    secrets: { name: string; value: string };
  }
}

export const sealingTables: FeatureTables = {
  carried: ['secrets'],
  derived: [],
  sealed: [{ table: 'secrets', row: 'name', column: 'value', wasClear: true }],
};
