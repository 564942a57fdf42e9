/** Members of a body, as a sentence names them: `title`, `content` and `meta`. */
export function listed(names: readonly string[], type: 'conjunction' | 'disjunction'): string {
  return new Intl.ListFormat('en-GB', { type }).format(names.map((name) => `\`${name}\``));
}
