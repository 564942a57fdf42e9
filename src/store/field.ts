import type { InsertType, SelectType } from 'kysely';
import type { Static, TSchema, Type } from 'typebox';

/**
 * The builder of schemas. It is passed to each rule, because threads of the database read fields too, and load no
 * TypeBox.
 */
export type Builder = typeof Type;
export type Rule = (t: Builder) => TSchema;
type Rules = Readonly<Record<string, Rule>>;

/** The name of a column, and its type for Kysely: `Generated<...>` if the column has a default. */
export interface Column<Name extends string, Kind> {
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

export type KindOf<C> = C extends Column<string, infer Kind> ? Kind : never;
export type SelectedOf<C> = SelectType<KindOf<C>>;
type InsertedOf<C> = InsertType<KindOf<C>>;

export type HowStored = 'once' | 'copied' | 'short';

/** Everything about a field. Its name is that of the member in answers and bodies. */
interface Field<
  C,
  Beside,
  Schema extends TSchema,
  Reader,
  Setters extends Rules,
  Verbs extends Rules,
  Otherwise,
  Refuses,
  Searched,
  Stays,
  Stored,
  NotImported,
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
  /**
   * The column where nothing is said: that of a new row without the member, and after null in a merge patch. If left
   * out, the database has a default.
   */
  readonly otherwise?: Otherwise;
  /** True if answers leave the member out where its column is `otherwise`. Then `toMember` need not do so. */
  readonly absentIfEmpty?: true;
  /** True if a merge patch may not give null, because `otherwise` is only how a new row begins. */
  readonly refusesNull?: Refuses;
  /** The same as `setBy`, for members that have a verb of their own. */
  readonly setByVerb?: Verbs;
  /** True if a keyword finds the words of the column. */
  readonly isSearched?: Searched;
  /** True for a column that no version has, so that restoring one leaves the column as it is. */
  readonly staysOnRestore?: Stays;
  /**
   * How the bytes of a text count for what an account may have stored: `once`, as often as indexes copy them
   * (`copied`), or not at all, because they are few (`short`).
   */
  readonly stored?: Stored;
  /** Why the files of imports and exports of a whole service lack the member, although people set it. */
  readonly notImported?: NotImported;
  /**
   * Why the changes that are told do not tell of the column, although people set it and others see it. A test compares this
   * with the triggers of the schema.
   */
  readonly notTold?: string;
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
  const Otherwise extends InsertedOf<Column<Name, Kind>> = never,
  const Refuses extends boolean = false,
  const Searched extends boolean = false,
  const Stays extends boolean = false,
  const Stored extends HowStored = never,
  const NotImported extends string = never,
>(
  declared: Field<
    Column<Name, Kind>,
    Beside,
    Schema,
    Reader,
    Setters,
    Verbs,
    Otherwise,
    Refuses,
    Searched,
    Stays,
    Stored,
    NotImported
  >,
): typeof declared {
  return declared;
}

/** A declared field of any type. */
export interface AnyField {
  readonly column: Column<string, unknown>;
  readonly beside?: Column<string, unknown>;
  readonly schema?: Rule;
  readonly shownTo?: readonly string[];
  toMember?(value: unknown, beside: unknown): unknown;
  readonly setBy?: Rules;
  toColumn?(value: unknown): unknown;
  readonly otherwise?: unknown;
  readonly absentIfEmpty?: true;
  readonly refusesNull?: boolean;
  readonly setByVerb?: Rules;
  readonly isSearched?: boolean;
  readonly staysOnRestore?: boolean;
  readonly stored?: HowStored;
  readonly notImported?: string;
  readonly notTold?: string;
  readonly notExported?: string;
  readonly exported?: { readonly schema: Rule; toMember(value: unknown): unknown };
}
export type Fields = Readonly<Record<string, AnyField>>;
