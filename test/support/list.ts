/** The relations of a Link header (RFC 8288) and the targets they lead to. */
export function linksOf(headers: Headers): Record<string, string> {
  const links = (headers.get('link') ?? '').matchAll(/<([^>]*)>; rel="(\w+)"/g);
  return Object.fromEntries([...links].map(([, target = '', rel = '']) => [rel, target]));
}
