import { go, path, search } from './router.ts';

/** The query of the address, by name. A view that reads it is drawn again when it changes. */
export function useAddress(): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(new URLSearchParams(search.value));
}

/**
 * Puts the query into the address, as a step that Back takes back, or in place of this one. What is undefined or empty
 * is left out.
 */
export function setAddress(
  query: Readonly<Record<string, string | undefined>>,
  how?: { readonly replace: boolean },
): void {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const text = new URLSearchParams(given).toString();
  go(path.peek() + (text && `?${text}`), how);
}
