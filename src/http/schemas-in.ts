/** The shared schemas that this text of a schema refers to, directly or through others, by their names. */
export function schemasIn(
  text: string,
  shared: Readonly<Record<string, unknown>>,
  found: Record<string, unknown> = {},
): Record<string, unknown> {
  for (const [, name = ''] of text.matchAll(/"\$ref":"([^"#]+)#"/g)) {
    if (Object.hasOwn(found, name)) continue;
    found[name] = shared[name];
    schemasIn(JSON.stringify(shared[name]), shared, found);
  }
  return found;
}
