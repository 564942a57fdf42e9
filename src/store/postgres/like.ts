/** A LIKE pattern for "contains", every character of the keyword standing for itself. */
export function containing(keyword: string): string {
  return `%${keyword.replace(/[\\%_]/g, '\\$&')}%`;
}
