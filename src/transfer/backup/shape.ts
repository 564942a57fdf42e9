import type { LiveColumn, LiveTable } from '../../store/move-end.ts';
import { FORMAT, type Footer, type Header } from './format.ts';

/** The names of tables and columns, of versions and of keys: nothing else of a header is printed. */
const NAME = /^\w{1,63}$/;
const VERSION = /^[\w.+-]{1,64}$/;
const SUM = /^[0-9a-f]{64}$/;
const MOST_TIME = 8.64e15;

/** What a header has in every format. */
export type AnyHeader = Pick<Header, 'format' | 'stoa'>;

/** A right digest does not say that Stoa wrote the file: anybody can make one. */
export function isAnyHeader(value: unknown): value is AnyHeader {
  return isObject(value) && typeof value.format === 'number' && isText(value.stoa, VERSION);
}

export function isHeader(value: unknown): value is Header {
  return (
    isObject(value) &&
    value.format === FORMAT &&
    isText(value.stoa, VERSION) &&
    (value.engine === 'sqlite' || value.engine === 'postgres') &&
    isCount(value.made_at) &&
    value.made_at <= MOST_TIME &&
    isAnyText(value.database) &&
    isListOf(value.schema, isAnyText) &&
    isObject(value.sealing) &&
    (value.sealing.check === null || isAnyText(value.sealing.check)) &&
    (value.sealing.key === null || isName(value.sealing.key)) &&
    isListOf(value.tables, isTable) &&
    areUnique(value.tables)
  );
}

/** Has the footer what there has to be of each table of the header? */
export function isFooterOf({ tables }: Header, value: unknown): value is Footer {
  if (!isObject(value) || !isListOf(value.tables, isWritten)) return false;
  const written = new Set(value.tables.map(({ table }) => table));
  return tables.every(({ name }) => written.has(name));
}

function isTable(value: unknown): value is LiveTable {
  return (
    isObject(value) &&
    isName(value.name) &&
    isListOf(value.columns, isColumn) &&
    areUnique(value.columns) &&
    isListOf(value.key, isName) &&
    typeof value.isNumbered === 'boolean'
  );
}

function isColumn(value: unknown): value is LiveColumn {
  return isObject(value) && isName(value.name) && isName(value.type);
}

function isWritten(value: unknown): value is Footer['tables'][number] {
  return (
    isObject(value) &&
    isName(value.table) &&
    isCount(value.rows) &&
    isText(value.sum, SUM) &&
    isCount(value.last_id)
  );
}

function areUnique(named: readonly { readonly name: string }[]): boolean {
  return new Set(named.map(({ name }) => name)).size === named.length;
}

function isListOf<Each>(value: unknown, isEach: (each: unknown) => each is Each): value is Each[] {
  return Array.isArray(value) && value.every(isEach);
}

function isName(value: unknown): value is string {
  return isText(value, NAME);
}

function isAnyText(value: unknown): value is string {
  return typeof value === 'string';
}

function isText(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
