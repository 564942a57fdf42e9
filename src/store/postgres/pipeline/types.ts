import { types } from 'pg';

/** Makes a value of the text that the server sends. */
export type Parse = (text: string) => unknown;

/**
 * How values of a type (its `oid`) are parsed. Integers of eight bytes become numbers: ids, times and counts stay far
 * below 2^53. All other types are parsed as `pg` does.
 */
export function parserOf(oid: number): Parse {
  return oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, 'text');
}
