import type { FeatureTables } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Tables {
    /** What was imported, and from where (src/schema/0040_content_imports.ts). */
    content_imports: { source: string; content_id: number; fingerprint: string };
  }
}

export const contentImportTables: FeatureTables = { carried: ['content_imports'], derived: [] };
