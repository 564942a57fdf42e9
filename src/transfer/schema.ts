import { OperatorError } from '../domain/operator-error.ts';
import type { LiveTable, MoveEnd } from '../store/move-end.ts';
import type { FeatureTables } from '../store/tables.ts';

/** Every table of the schema is in one of these two lists (store/tables.ts), or a move refuses its database. */
export type TableLists = Pick<FeatureTables, 'carried' | 'derived'>;

/** Types whose values both engines store and return alike. */
const CARRIED_TYPES: readonly string[] = ['text', 'integer'];

/**
 * The carried tables of this database, in the order of copying. Fails with OperatorError when a move would leave a part
 * of the database behind.
 */
export async function carriedTables(end: MoveEnd, { carried, derived }: TableLists): Promise<LiveTable[]> {
  const live = await end.tables();
  const unknown = live.find(({ name }) => !carried.includes(name) && !derived.includes(name));
  if (unknown) {
    throw new OperatorError(
      `The ${end.name} has the table "${unknown.name}", which this version of Stoa does not know and would leave behind; take it out of the database first.`,
    );
  }
  return carried.map((name) => {
    const table = live.find((each) => each.name === name);
    if (!table) throw new OperatorError(`The ${end.name} has no table "${name}"; restore it first.`);
    refuseUncarriable(end, table);
    return table;
  });
}

function refuseUncarriable(end: MoveEnd, { name, columns, key }: LiveTable): void {
  if (key.length === 0) {
    throw new OperatorError(`The ${end.name} has no primary key on the table "${name}"; restore it first.`);
  }
  const column = columns.find(({ type }) => !CARRIED_TYPES.includes(type));
  if (column) {
    throw new OperatorError(
      `The ${end.name} has the column "${name}.${column.name}" of the type ${column.type}, which no move carries; take it out of the database first.`,
    );
  }
}

/** Fails with OperatorError when the carried tables of the two ends are not alike. */
export function refuseDifference(
  source: Pick<MoveEnd, 'name'>,
  sourceTables: readonly LiveTable[],
  target: MoveEnd,
  targetTables: readonly LiveTable[],
): void {
  const [here, there] = [sourceTables.flatMap(partsOf), targetTables.flatMap(partsOf)];
  const inSource = here.find((part) => !there.includes(part));
  const inTarget = there.find((part) => !here.includes(part));
  const [end, part] = inSource === undefined ? [target, inTarget] : [source, inSource];
  if (part === undefined) return;
  throw new OperatorError(
    `The two databases differ: only the ${end.name} has ${part}. Make both alike, then run it again.`,
  );
}

/** Everything that has to be the same at both ends, in words. The order of the columns may differ. */
function partsOf({ name, columns, key, isNumbered }: LiveTable): string[] {
  return [
    ...columns.map((column) => `the column "${name}.${column.name}" (${column.type})`),
    `the primary key (${key.join(', ')}) on "${name}"`,
    ...(isNumbered ? [`ids that the database gives in "${name}"`] : []),
  ];
}
