import type { Insertable, InsertType, Selectable, SelectType } from 'kysely';
import type { Static, TObject, TSchema, Type } from 'typebox';

/**
 * The builder of schemas. It is passed to each rule, because threads of the database read fields too, and load no
 * TypeBox.
 */
type Builder = typeof Type;
type Rule = (t: Builder) => TSchema;
type Rules = Readonly<Record<string, Rule>>;

/** The name of a column, and its type for Kysely: `Generated<...>` if the column has a default. */
interface Column<Name extends string, Kind> {
  readonly name: Name;
  /** Only for the compiler. No column has it. */
  readonly kind?: Kind;
}

export function column<Kind>() {
  return <Name extends string>(name: Name): Column<Name, Kind> => ({ name });
}

export const text = column<string>();
export const optionalText = column<string | null>();
export const integer = column<number>();
export const optionalInteger = column<number | null>();

/** Everything about a field. Its name is that of the member in answers and bodies. */
interface Field<
  C,
  Beside,
  Schema extends TSchema,
  Reader,
  Setters extends Rules,
  Verbs extends Rules,
  Searched,
  Stays,
> {
  readonly column: C;
  /** Another column from which the member is made. */
  readonly beside?: Beside;
  /** The schema of the member in answers, by reader. */
  readonly schema?: (t: Builder) => Schema;
  readonly shownTo?: readonly Reader[];
  /** Makes the member from the columns. Undefined means absent. Without this function the member is the column. */
  toMember?(value: SelectedOf<C>, beside: SelectedOf<Beside>): Static<Schema> | undefined;
  /** Who gives the member in a body, with the rule for that body. The value is stored in the column. */
  readonly setBy?: Setters;
  /** Makes the column from a given member. Without this function the column is the member. */
  toColumn?(value: Static<ReturnType<Setters[keyof Setters]>>): InsertedOf<C>;
  /** The column of a new row without the member. If left out, the database has a default. */
  readonly otherwise?: InsertedOf<C>;
  /** The same as `setBy`, for members that have a verb of their own. */
  readonly setByVerb?: Verbs;
  /** True if a keyword finds the words of the column. */
  readonly isSearched?: Searched;
  /** True for a column that no version has, so that restoring one leaves the column as it is. */
  readonly staysOnRestore?: Stays;
  /** Why the owner's export lacks the column. Left out if the export has it. */
  readonly notExported?: string;
  /** What the export has instead of the member, under the name of the column. */
  readonly exported?: { readonly schema: Rule; toMember(value: SelectedOf<C>): unknown };
}

/** Declares a field. The compiler compares the column, the member and the rules. */
export function field<
  Name extends string,
  Kind,
  Beside = never,
  Schema extends TSchema = never,
  const Reader extends string = never,
  const Setters extends Rules = Record<never, Rule>,
  const Verbs extends Rules = Record<never, Rule>,
  const Searched extends boolean = false,
  const Stays extends boolean = false,
>(
  declared: Field<Column<Name, Kind>, Beside, Schema, Reader, Setters, Verbs, Searched, Stays>,
): typeof declared {
  return declared;
}

/** A declared field of any type. */
interface AnyField {
  readonly column: Column<string, unknown>;
  readonly beside?: Column<string, unknown>;
  readonly schema?: Rule;
  readonly shownTo?: readonly string[];
  toMember?(value: unknown, beside: unknown): unknown;
  readonly setBy?: Rules;
  toColumn?(value: unknown): unknown;
  readonly otherwise?: unknown;
  readonly setByVerb?: Rules;
  readonly isSearched?: boolean;
  readonly staysOnRestore?: boolean;
  readonly notExported?: string;
  readonly exported?: { readonly schema: Rule; toMember(value: unknown): unknown };
}
type Fields = Readonly<Record<string, AnyField>>;

type KindOf<C> = C extends Column<string, infer Kind> ? Kind : never;
type NameOf<C> = C extends Column<infer Name, unknown> ? Name : never;
type SelectedOf<C> = SelectType<KindOf<C>>;
type InsertedOf<C> = InsertType<KindOf<C>>;
type BesideOf<F> = F extends { readonly beside?: infer Beside } ? Beside : never;
type ReaderOf<F> = F extends { readonly shownTo?: readonly (infer Reader)[] } ? Reader : never;
type SettersOf<F> = F extends { readonly setBy?: infer Setters } ? NonNullable<Setters> : never;
type VerbsOf<F> = F extends { readonly setByVerb?: infer Verbs } ? NonNullable<Verbs> : never;
type RuleOf<F, S> = S extends keyof SettersOf<F>
  ? SettersOf<F>[S]
  : S extends keyof VerbsOf<F>
    ? VerbsOf<F>[S]
    : never;

/** The columns of the table for Kysely. */
export type TableOf<F extends Fields> = {
  [Name in keyof F as NameOf<F[Name]['column']>]: KindOf<F[Name]['column']>;
};
/** The columns that are read for a reader. */
export type RowFor<F extends Fields, Reader> = {
  [Name in keyof F as Reader extends ReaderOf<F[Name]> ? NameOf<F[Name]['column']> : never]: SelectedOf<
    F[Name]['column']
  >;
} & {
  [Name in keyof F as Reader extends ReaderOf<F[Name]> ? NameOf<BesideOf<F[Name]>> : never]: SelectedOf<
    BesideOf<F[Name]>
  >;
};
type SchemasFor<F extends Fields, Reader> = {
  [Name in keyof F as Reader extends ReaderOf<F[Name]> ? Name : never]: ReturnType<
    NonNullable<F[Name]['schema']>
  >;
};
type Shown<F extends Fields, Reader> = Static<TObject<SchemasFor<F, Reader>>>;
type RulesFor<F extends Fields, Setter> = {
  [Name in keyof F as RuleOf<F[Name], Setter> extends never ? never : Name]: ReturnType<
    Extract<RuleOf<F[Name], Setter>, Rule>
  >;
};
type RulesRestored<F extends Fields, Setter> = {
  [Name in keyof F as F[Name] extends { readonly staysOnRestore?: true }
    ? never
    : RuleOf<F[Name], Setter> extends never
      ? never
      : Name]: ReturnType<Extract<RuleOf<F[Name], Setter>, Rule>>;
};
type NameSetBy<F extends Fields, Setter> = {
  [Name in keyof F]: Setter extends keyof SettersOf<F[Name]> ? NameOf<F[Name]['column']> : never;
}[keyof F];
/** The columns that a body sets, as an insert takes them. */
export type ColumnsSetBy<F extends Fields, Setter> = Pick<
  Insertable<TableOf<F>>,
  NameSetBy<F, Setter> & keyof Insertable<TableOf<F>>
>;
type NameRestored<F extends Fields, Setter> = {
  [Name in keyof F]: F[Name] extends { readonly staysOnRestore?: true }
    ? never
    : Setter extends keyof SettersOf<F[Name]>
      ? NameOf<F[Name]['column']>
      : never;
}[keyof F];
/** Those of them that restoring an old version brings back. */
export type ColumnsRestored<F extends Fields, Setter> = Pick<
  Insertable<TableOf<F>>,
  NameRestored<F, Setter> & keyof Insertable<TableOf<F>>
>;
/** The same columns in the new row. */
type RowSetBy<F extends Fields, Setter> = Pick<
  Selectable<TableOf<F>>,
  NameSetBy<F, Setter> & keyof Selectable<TableOf<F>>
>;
type SearchedOf<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly isSearched?: true } ? NameOf<F[Name]['column']> : never;
}[keyof F];

// The types above use the same conditions as these functions, so each result fits its type.

function select(fields: Fields, isMeant: (field: AnyField) => boolean): [string, AnyField][] {
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

/** Returns a function that shows a row to a reader. All decisions that do not depend on the row are made before. */
export function showTo<F extends Fields, Reader extends string>(fields: F, reader: Reader) {
  const members = shownTo(fields, reader).map(([name, field]) => ({ name, ...field }));
  return (row: RowFor<F, Reader>): Shown<F, Reader> => {
    const values = row as Readonly<Record<string, unknown>>;
    const shown: Record<string, unknown> = {};
    for (const { name, column, beside, toMember } of members) {
      const value = values[column.name];
      const member = toMember ? toMember(value, beside && values[beside.name]) : value;
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

/** The names of those that restoring an old version brings back. */
export function columnsRestored<F extends Fields, Setter extends string>(fields: F, setter: Setter) {
  return restored(fields, setter).map(([, { column }]) => column.name) as NameRestored<F, Setter>[];
}

/** The members of a body that has only those. */
export function rulesRestored<F extends Fields, Setter extends string>(
  fields: F,
  setter: Setter,
  t: Builder,
) {
  return Object.fromEntries(
    restored(fields, setter).map(([name, field]) => [name, field.setBy?.[setter]?.(t)]),
  ) as RulesRestored<F, Setter>;
}

/** Returns a function that finds the columns that a body sets. Members that are not given are left out. */
export function columnsGiven<F extends Fields, Setter extends string>(fields: F, setter: Setter) {
  const members = setBy(fields, setter);
  return (body: object): Partial<ColumnsSetBy<F, Setter>> => {
    const given = body as Readonly<Record<string, unknown>>;
    const columns: Record<string, unknown> = {};
    for (const [name, { column, toColumn }] of members) {
      const value = given[name];
      if (value !== undefined) columns[column.name] = toColumn ? toColumn(value) : value;
    }
    return columns as Partial<ColumnsSetBy<F, Setter>>;
  };
}

/** Returns a function that restores the members of such a body from the columns of a row, if the row has them. */
export function membersSetBy(fields: Fields, setter: string) {
  return membersFrom(setBy(fields, setter));
}

/** The same for the members of an old version. */
export function membersOfVersion(fields: Fields, setter: string) {
  return membersFrom(restored(fields, setter));
}

function membersFrom(members: readonly [string, AnyField][]) {
  return (row: object): object => {
    const values = row as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      members.map(([name, { column, toMember }]) => {
        const value = values[column.name];
        return [name, toMember && value !== undefined ? toMember(value, undefined) : value];
      }),
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

/** The columns that stay as they are unless they are named (`staysOnRestore`). */
export function stayingColumns(fields: Fields): string[] {
  return select(fields, ({ staysOnRestore }) => staysOnRestore ?? false).map(([, { column }]) => column.name);
}

/** The owner's export of a table: all columns except those that say why not. */
export function exportOf<F extends Fields>(fields: F) {
  const exported = select(fields, ({ notExported }) => notExported === undefined).map(([, field]) => ({
    name: field.column.name,
    toMember: field.exported?.toMember ?? field.toMember ?? ((value: unknown) => value),
    schema: field.exported?.schema ?? field.schema,
  }));
  return {
    columns: exported.map(({ name }) => name) as NameOf<F[keyof F]['column']>[],
    toItem: (row: object): object => {
      const values = row as Readonly<Record<string, unknown>>;
      return Object.fromEntries(
        exported.map(({ name, toMember }) => [name, toMember(values[name], undefined)]),
      );
    },
    /** The members, without the descriptions of their answers. */
    schemas: (t: Builder): Record<string, TSchema> =>
      Object.fromEntries(
        exported.map(({ name, schema }) => {
          const shown = schema?.(t) ?? t.Unknown();
          const { description: _, examples: __, ...plain } = Object(shown);
          return [name, t.IsOptional(shown) ? t.Optional(plain) : plain];
        }),
      ),
  };
}
