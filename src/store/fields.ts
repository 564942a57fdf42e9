import type { AnyField, Builder, Fields } from './field.ts';
import type {
  ColumnsSetBy,
  NameRestored,
  NameSetBy,
  RowFor,
  RowSetBy,
  RulesFor,
  RulesRestored,
  SchemasFor,
  SearchedOf,
  Shown,
} from './field-types.ts';

// The types of field-types.ts use the same conditions as these functions, so each result fits its type.

export function select(fields: Fields, isMeant: (field: AnyField) => boolean): [string, AnyField][] {
  return Object.entries(fields).filter(([, field]) => isMeant(field));
}

function shownTo(fields: Fields, reader: string) {
  return select(fields, (field) => field.shownTo?.includes(reader) ?? false);
}

/** The columns to read for a reader. The fields have the order of the answer. */
export function columnsFor<F extends Fields, Reader extends string>(fields: F, reader: Reader) {
  const columns = shownTo(fields, reader).flatMap(([, { column, beside }]) => [column, beside ?? []].flat());
  return [...new Set(columns.map(({ name }) => name))] as Extract<keyof RowFor<F, Reader>, string>[];
}

/** The members of an answer. */
export function schemasFor<F extends Fields, Reader extends string>(fields: F, reader: Reader, t: Builder) {
  return Object.fromEntries(
    shownTo(fields, reader).map(([name, { schema }]) => [name, schema?.(t)]),
  ) as SchemasFor<F, Reader>;
}

/** Returns a function that makes the member of an answer from the columns. Undefined means absent. */
export function memberOf({ toMember, absentIfEmpty, otherwise }: AnyField) {
  return (value: unknown, beside?: unknown): unknown => {
    if (absentIfEmpty && value === otherwise) return undefined;
    return toMember ? toMember(value, beside) : value;
  };
}

/** Returns a function that shows a row to a reader. All decisions that do not depend on the row are made before. */
export function showTo<F extends Fields, Reader extends string>(fields: F, reader: Reader) {
  const members = shownTo(fields, reader).map(([name, field]) => ({
    name,
    ...field,
    memberFrom: memberOf(field),
  }));
  return (row: RowFor<F, Reader>): Shown<F, Reader> => {
    const values = row as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = {};
    for (const { name, column, beside, memberFrom } of members) {
      const member = memberFrom(values[column.name], beside && values[beside.name]);
      if (member !== undefined) shown[name] = member;
    }
    return shown as Shown<F, Reader>;
  };
}

/** The members of a body. */
export function rulesFor<F extends Fields, Setter extends string>(fields: F, setter: Setter, t: Builder) {
  const ruleOf = ({ setBy, setByVerb }: AnyField) => setBy?.[setter] ?? setByVerb?.[setter];
  return Object.fromEntries(
    select(fields, (field) => ruleOf(field) !== undefined).map(([name, field]) => [name, ruleOf(field)?.(t)]),
  ) as RulesFor<F, Setter>;
}

function setBy(fields: Fields, setter: string) {
  return select(fields, (field) => field.setBy?.[setter] !== undefined);
}

/** The names of the columns that a body sets. */
export function columnsSetBy<F extends Fields, Setter extends string>(fields: F, setter: Setter) {
  return setBy(fields, setter).map(([, { column }]) => column.name) as NameSetBy<F, Setter>[];
}

function restored(fields: Fields, setter: string) {
  return setBy(fields, setter).filter(([, { staysOnRestore }]) => !staysOnRestore);
}

/** The columns that restoring an earlier version sets again. */
export function columnsRestored<F extends Fields, Setter extends string>(fields: F, setter: Setter) {
  return restored(fields, setter).map(([, { column }]) => column.name) as NameRestored<F, Setter>[];
}

/** The rules of a body whose members are all restored with a version. */
export function rulesRestored<F extends Fields, Setter extends string>(
  fields: F,
  setter: Setter,
  t: Builder,
) {
  return Object.fromEntries(
    restored(fields, setter).map(([name, field]) => [name, field.setBy?.[setter]?.(t)]),
  ) as RulesRestored<F, Setter>;
}

/**
 * Returns a function that finds the columns that a body sets. Members that are not given are left out. Null empties a
 * column, where the rule of the body admits it.
 */
export function columnsGiven<F extends Fields, Setter extends string>(fields: F, setter: Setter) {
  const members = setBy(fields, setter);
  return (body: object): Partial<ColumnsSetBy<F, Setter>> => {
    const given = body as Readonly<Record<string, unknown>>;
    const columns: Record<string, unknown> = {};
    for (const [name, { column, toColumn, otherwise }] of members) {
      const value = given[name];
      if (value === undefined) continue;
      if (value === null && otherwise !== undefined) columns[column.name] = otherwise;
      else columns[column.name] = toColumn ? toColumn(value) : value;
    }
    return columns as Partial<ColumnsSetBy<F, Setter>>;
  };
}

/**
 * Returns a function that makes the body that sets the columns of a row. Columns that the row lacks are left out. Those
 * that are empty are not.
 */
export function bodyOf(fields: Fields, setter: string) {
  const members = setBy(fields, setter);
  for (const [name, field] of members) requireEmptyMember(name, field);
  return (row: object): object => {
    const values = row as Readonly<Record<string, unknown>>;
    const given = members.filter(([, { column }]) => values[column.name] !== undefined);
    return Object.fromEntries(
      given.map(([name, { column, toColumn, toMember }]) => {
        const value = values[column.name];
        return [name, toColumn && toMember ? toMember(value, undefined) : value];
      }),
    );
  };
}

/** A body could not empty the column if the member of an empty column were absent. */
function requireEmptyMember(name: string, { toColumn, toMember, otherwise }: AnyField): void {
  if (toColumn && toMember && otherwise !== undefined && toMember(otherwise, undefined) === undefined)
    throw new Error(`The field ${name} has no member where it is empty; declare "absentIfEmpty" instead.`);
}

/** Returns a function that shows the members that a version has. */
export function membersOfVersion(fields: Fields, setter: string) {
  const members = restored(fields, setter).map(
    ([name, field]) => [name, field.column.name, memberOf(field)] as const,
  );
  return (row: object): object => {
    const values = row as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      members.map(([name, column, memberFrom]) => [name, memberFrom(values[column])]),
    );
  };
}

/** The columns of a new row that a body sets, with the values for members that were not given. */
export function columnsOfNew<F extends Fields, Setter extends string>(fields: F, setter: Setter) {
  const given = columnsGiven(fields, setter);
  const others = setBy(fields, setter).filter(([, { otherwise }]) => otherwise !== undefined);
  const otherwise = Object.fromEntries(others.map(([, field]) => [field.column.name, field.otherwise]));
  return (body: object) => ({ ...otherwise, ...given(body) }) as RowSetBy<F, Setter>;
}

/** The columns whose words a keyword finds. */
export function searchedColumns<F extends Fields>(fields: F) {
  return select(fields, ({ isSearched }) => isSearched ?? false).map(
    ([, { column }]) => column.name,
  ) as SearchedOf<F>[];
}

/** The columns that no version has (`staysOnRestore`). A change sets them only if the body names them. */
export function stayingColumns(fields: Fields): string[] {
  return select(fields, ({ staysOnRestore }) => staysOnRestore ?? false).map(([, { column }]) => column.name);
}
