import { notingFor } from '../../src/domain/spent.ts';
import { StatementNotes } from '../../src/domain/statements.ts';

/** The first word of each statement that work notes as an operation that is traced, in their order. */
export async function verbsNotedBy(work: () => Promise<unknown>): Promise<(string | undefined)[]> {
  const notes = new StatementNotes();
  await notingFor(notes, work);
  return notes.data.noted.map(({ sql }) => sql.split(' ')[0]);
}
