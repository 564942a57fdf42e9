/**
 * What the page of the console may do: load its own files and ask its own service. Scripts make HTML in one place only, by
 * a policy of Trusted Types: previews, which the service has cleaned (console/src/content/trusted-html.ts).
 */
export const CONSOLE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types stoa-html',
].join('; ');

/**
 * The page for one path. Its base leads back to the folder of the console, seen from the path, so that the console works
 * below any path of a proxy.
 */
export function pageAt(page: string, path: string): string {
  const below = /\/console\/(.*)$/.exec(path)?.[1];
  const base = below === undefined ? 'console/' : '../'.repeat(below.split('/').length - 1) || './';
  return page.replace('<base href="./">', `<base href="${base}">`);
}
