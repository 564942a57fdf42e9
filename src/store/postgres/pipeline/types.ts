import { types } from 'pg';

/** How the text of a value becomes ours. */
export type Parse = (text: string) => unknown;

/** Eight-byte integers as numbers: ids, times and counts stay far below 2^53. Everything else as `pg` does. */
export function parserOf(oid: number): Parse {
  return oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, 'text');
}
