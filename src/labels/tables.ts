import type { Generated } from 'kysely';
import type { FeatureTables } from '../store/tables.ts';

export type LabelKind = 'tag' | 'category';

declare module '../store/tables.ts' {
  interface Tables {
    /** What writes of items added to the counts or took away, oldest first. Triggers fill this table. */
    label_changes: {
      place: Generated<number>;
      category: string;
      /** A JSON array of names. */
      tags: string;
      items: number;
      public_items: number;
    };
    /** How many visible items have a label, but for what `label_changes` adds. */
    label_counts: { kind: LabelKind; name: string; name_key: string; items: number; public_items: number };
  }
}

export const labelTables: FeatureTables = { carried: [], derived: ['label_changes', 'label_counts'] };
