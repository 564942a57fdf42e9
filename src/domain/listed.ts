/** Names as a sentence has them: `a, b and c`. The first use of `Intl.ListFormat` takes 13 ms, also at a start. */
export function listed(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${last} ${names.at(-1)}`;
}

/** The same for members of a body. */
export function membersListed(names: readonly string[], last: 'and' | 'or' = 'and'): string {
  return listed(
    names.map((name) => `\`${name}\``),
    last,
  );
}
