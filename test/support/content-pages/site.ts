import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import type { Lifetime } from '../engines.ts';

/** What the page may do: the policy of the console. */
const CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "base-uri 'self'",
  "require-trusted-types-for 'script'",
  'trusted-types stoa-html',
].join('; ');

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Stoa</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><base href="/console/">
<link rel="stylesheet" href="assets/style.css"><link rel="stylesheet" href="assets/content.css">
<main></main><script type="module" src="assets/main.js"></script></html>`;

const root = join(import.meta.dirname, '../../..');
const standIns = join(root, 'console/stand-in');

async function operationsOf(): Promise<Record<string, string>> {
  const { paths } = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'));
  return Object.fromEntries(
    Object.entries<Record<string, { operationId?: string }>>(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => [
        operationId,
        `${method.toUpperCase()} ${path}`,
      ]),
    ),
  );
}

/** Puts the stand-in in the place of the shell. */
const standIn: Plugin = {
  name: 'stand-in',
  setup(made) {
    made.onResolve({ filter: /^\.\/shell\.ts$/ }, () => ({ path: join(standIns, 'shell.ts') }));
    made.onResolve({ filter: /^stoa:operations$/ }, () => ({ path: 'operations', namespace: 'stoa' }));
    made.onLoad({ filter: /.*/, namespace: 'stoa' }, async () => ({
      contents: JSON.stringify(await operationsOf()),
      loader: 'json',
    }));
  },
};

/** Bundles of the content pages by their names. */
export async function bundleOf(): Promise<Map<string, Uint8Array>> {
  const { outputFiles } = await build({
    entryPoints: [
      join(standIns, 'main.tsx'),
      join(standIns, 'style.css'),
      join(root, 'console/src/style/content.css'),
    ],
    bundle: true,
    splitting: true,
    minify: true,
    write: false,
    format: 'esm',
    entryNames: '[name]',
    outdir: '/assets',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    plugins: [standIn],
  });
  return new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
}

/** Serves the content pages below /console/, and hands everything else to the service. */
export async function startSite(t: Lifetime, service: string): Promise<string> {
  const files = await bundleOf();
  const site = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const file = url.startsWith('/console/assets/') && files.get(basename(url));
    if (file) {
      const type = url.endsWith('.css') ? 'text/css' : 'text/javascript';
      response
        .writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' })
        .end(file);
      return;
    }
    if (url.startsWith('/console')) {
      response
        .writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CSP })
        .end(PAGE);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const passed = Object.entries(headers).filter(
      ([name, value]) =>
        typeof value === 'string' &&
        !['host', 'connection', 'content-length', 'accept-encoding'].includes(name),
    ) as [string, string][];
    const answer = await fetch(`${service}${url}`, {
      method,
      headers: passed,
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    });
    const kept = [...answer.headers].filter(
      ([name]) => !['content-length', 'content-encoding', 'connection'].includes(name),
    );
    response.writeHead(answer.status, Object.fromEntries(kept)).end(Buffer.from(await answer.arrayBuffer()));
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  t.after(() => site.close());
  t.after(() => site.closeAllConnections());
  return `http://localhost:${(site.address() as AddressInfo).port}`;
}
