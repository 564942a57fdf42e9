/** The first rows that have so many bytes together at most: one at least, however long it is. */
export function rowsWithin<Row extends { readonly bytes: number }>(
  rows: readonly Row[],
  most: number,
): Row[] {
  let bytes = 0;
  const tooMany = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > most;
  });
  return tooMany === -1 ? [...rows] : rows.slice(0, tooMany);
}
