interface NamedLabel {
  readonly path: { readonly name: string };
  readonly query?: { readonly from: string };
}

/** Where a request names a label. A browser would take the names "." and ".." out of the path. */
export function labelIn(name: string): NamedLabel {
  return name === '.' || name === '..' ? { path: { name: '-' }, query: { from: name } } : { path: { name } };
}
