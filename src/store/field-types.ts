import type { Insertable, Selectable } from 'kysely';
import type { Static, TObject, TOptional, TUnsafe } from 'typebox';
import type { Column, Fields, HowStored, KindOf, Rule, SelectedOf } from './field.ts';

export type NameOf<C> = C extends Column<infer Name, unknown> ? Name : never;
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
export type SchemasFor<F extends Fields, Reader> = {
  [Name in keyof F as Reader extends ReaderOf<F[Name]> ? Name : never]: ReturnType<
    NonNullable<F[Name]['schema']>
  >;
};
export type Shown<F extends Fields, Reader> = Static<TObject<SchemasFor<F, Reader>>>;
export type RulesFor<F extends Fields, Setter> = {
  [Name in keyof F as RuleOf<F[Name], Setter> extends never ? never : Name]: ReturnType<
    Extract<RuleOf<F[Name], Setter>, Rule>
  >;
};
type OtherwiseOf<F> = F extends { readonly otherwise?: infer Otherwise }
  ? Exclude<Otherwise, undefined>
  : never;
type IsEmptied<F> = F extends { readonly refusesNull?: true }
  ? false
  : [OtherwiseOf<F>] extends [never]
    ? false
    : true;
export type RulesPatched<F extends Fields, Setter> = {
  [Name in keyof RulesFor<F, Setter>]: IsEmptied<F[Name]> extends true
    ? TOptional<TUnsafe<Static<RulesFor<F, Setter>[Name]> | null>>
    : RulesFor<F, Setter>[Name];
};
export type RulesRestored<F extends Fields, Setter> = {
  [Name in keyof F as F[Name] extends { readonly staysOnRestore?: true }
    ? never
    : RuleOf<F[Name], Setter> extends never
      ? never
      : Name]: ReturnType<Extract<RuleOf<F[Name], Setter>, Rule>>;
};
export type NameSetBy<F extends Fields, Setter> = {
  [Name in keyof F]: Setter extends keyof SettersOf<F[Name]> ? NameOf<F[Name]['column']> : never;
}[keyof F];
/** The columns that a body sets, as an insert takes them. */
export type ColumnsSetBy<F extends Fields, Setter> = Pick<
  Insertable<TableOf<F>>,
  NameSetBy<F, Setter> & keyof Insertable<TableOf<F>>
>;
export type NameRestored<F extends Fields, Setter> = {
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
export type RowSetBy<F extends Fields, Setter> = Pick<
  Selectable<TableOf<F>>,
  NameSetBy<F, Setter> & keyof Selectable<TableOf<F>>
>;
/** The fields that a body of these setters gives, with the setter `import` only. */
export type CarriedFields<F extends Fields, Setter extends string> = {
  [Name in keyof F as F[Name] extends { readonly notImported?: never }
    ? Extract<keyof SettersOf<F[Name]>, Setter> extends never
      ? never
      : Name
    : never]: F[Name] & { readonly setBy: { readonly import: Rule } };
};
/** The names of fields that somebody sets, but that are not carried, and that do not say why. */
export type NotCarried<F extends Fields, Setter extends string> = {
  [Name in keyof F]: F[Name] extends { readonly notImported?: never }
    ? [keyof SettersOf<F[Name]> | keyof VerbsOf<F[Name]>] extends [never]
      ? never
      : Extract<keyof SettersOf<F[Name]>, Setter> extends never
        ? Name
        : never
    : never;
}[keyof F];
/** The names of the columns whose bytes count in this way. */
export type NameStored<F extends Fields, How extends HowStored> = {
  [Name in keyof F]: F[Name] extends { readonly stored?: infer Stored }
    ? How extends Stored
      ? NameOf<F[Name]['column']>
      : never
    : never;
}[keyof F];
/** The names of fields of free text that do not say how their bytes count. */
export type NotCounted<F extends Fields, Setter> = {
  [Name in keyof F]: Setter extends keyof SettersOf<F[Name]>
    ? string extends SelectedOf<F[Name]['column']>
      ? F[Name] extends { readonly stored?: never }
        ? Name
        : never
      : never
    : never;
}[keyof F];
export type SearchedOf<F extends Fields> = {
  [Name in keyof F]: F[Name] extends { readonly isSearched?: true } ? NameOf<F[Name]['column']> : never;
}[keyof F];
