import type { FeatureTables } from '../../store/tables.ts';

/** A column whose text is sealed under the key outside the database. */
export interface SealedColumn {
  readonly table: string;
  /** The name of the primary key column. */
  readonly row: string;
  readonly column: string;
  /** True if versions before sealing stored plain text. A start looks for such texts. */
  readonly wasClear?: boolean;
}

declare module '../../store/tables.ts' {
  interface Tables {
    secrets: { name: string; value: string };
  }
  interface FeatureTables {
    readonly sealed?: readonly SealedColumn[];
  }
}

export const sealingTables: FeatureTables = {
  carried: ['secrets'],
  derived: [],
  sealed: [{ table: 'secrets', row: 'name', column: 'value', wasClear: true }],
};
