import type { Generated } from 'kysely';
import type { FeatureTables } from '../store/tables.ts';

export type LabelKind = 'tag' | 'category';

/** Items that everybody may see, then drafts and the trash, then the drafts beside items. */
export const PARTS = ['visible', 'hidden', 'drafts'] as const;
export type Part = (typeof PARTS)[number];

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
    /** The renaming of each kind that runs, or the last one. The reasons are in src/schema/0042_label_renames.ts. */
    label_renames: {
      kind: LabelKind;
      from_name: string;
      to_name: string;
      started_by: number | null;
      started_at: number;
      ended_at: number | null;
      round: number;
      part: Part;
      after_id: number;
      last_id: number;
      in_round: number;
      items: number;
    };
    /** How many visible items have a label, but for what `label_changes` adds. */
    label_counts: { kind: LabelKind; name: string; name_key: string; items: number; public_items: number };
  }
}

export const labelTables: FeatureTables = {
  carried: ['label_renames'],
  derived: ['label_changes', 'label_counts'],
};
