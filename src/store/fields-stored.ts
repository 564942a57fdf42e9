import { sql } from 'kysely';
import type { Fields, HowStored } from './field.ts';
import type { NameStored, NotCounted } from './field-types.ts';
import { select } from './fields.ts';

/**
 * The columns whose bytes count in this way for what an account may have stored. The compiler refuses a field of free
 * text that the setter gives and that does not say how it counts, and a column that may be NULL.
 */
export function storedTexts<F extends Fields, Setter extends string, How extends HowStored>(
  fields: F & ([NotCounted<F, Setter>] extends [never] ? unknown : NotCounted<F, Setter>),
  _setter: Setter,
  how: How,
) {
  const columns = select(fields, ({ stored }) => stored === how).map(([, { column }]) => column.name);
  const names = columns as NameStored<F, How>[];
  return {
    names,
    bytes: sql<number>`${sql.join(
      columns.map((name) => sql`octet_length(${sql.ref(name)})`),
      sql` + `,
    )}`,
    /** The same of a row. */
    bytesOf: (row: Readonly<Record<NameStored<F, How>, string>>): number =>
      names.reduce((sum, name) => sum + Buffer.byteLength(row[name]), 0),
  };
}
