import { readFile } from 'node:fs/promises';
import { notFound } from '../domain/failure.ts';
import { PUBLIC_PAGE } from './declaration.ts';
import type { App } from './server.ts';

/**
 * The reference at /docs: Swagger UI from its package, served from here without another host. The files are read at the
 * first request for them, so they cost the service nothing until then.
 */
const ASSETS: Record<string, string> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Stoa reference</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

/** The client calls an operation by its id. */
const START = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#reference', deepLinking: true, displayOperationId: true });\n`;

export function docsRoutes(app: App, readOpenapi: () => Promise<Buffer>): void {
  const once = readOnce();
  const hidden = { config: PUBLIC_PAGE, schema: { hide: true } };
  const cached = { 'cache-control': 'public, max-age=3600' };

  app.get('/openapi.json', hidden, async (_request, reply) =>
    reply
      .headers(cached)
      .type('application/json; charset=utf-8')
      .send(await once('openapi.json', readOpenapi)),
  );

  app.get('/docs', hidden, async (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  );

  app.get('/docs/start.js', hidden, async (_request, reply) =>
    reply.headers(cached).type('text/javascript; charset=utf-8').send(START),
  );

  app.get<{ Params: { asset: string } }>('/docs/:asset', hidden, async ({ params }, reply) => {
    const type = Object.hasOwn(ASSETS, params.asset) ? ASSETS[params.asset] : undefined;
    if (type === undefined) throw notFound('file');
    const file = new URL(import.meta.resolve(`@fastify/swagger-ui/static/${params.asset}`));
    return reply
      .headers(cached)
      .type(type)
      .send(await once(params.asset, () => readFile(file)));
  });
}

/**
 * Remembers a file after its first read: a copy for each request would let slow readers fill the memory. A failed read
 * is tried again.
 */
function readOnce() {
  const files = new Map<string, Promise<Buffer>>();
  return (name: string, read: () => Promise<Buffer>): Promise<Buffer> => {
    let file = files.get(name);
    if (!file) {
      file = read();
      files.set(name, file);
      file.catch(() => files.delete(name));
    }
    return file;
  };
}
