import { notFound } from '../domain/failure.ts';
import { PUBLIC_PAGE } from '../http/declaration.ts';
import { varyBy } from '../http/entity-tags.ts';
import type { App } from '../http/server.ts';
import { ConsoleFiles } from './files.ts';
import { CONSOLE_POLICY, pageAt } from './page.ts';

/** The console: one page for each of its addresses, which the page reads itself, and its assets. */
export function consoleRoutes(app: App): void {
  const files = new ConsoleFiles();
  const hidden = { config: PUBLIC_PAGE, schema: { hide: true } };

  for (const url of ['/console', '/console/*'])
    app.get<{ Params: { '*'?: string } }>(url, hidden, async (request, reply) => {
      const [path = ''] = request.url.split('?');
      const name = /^assets\/(.*)$/.exec(request.params['*'] ?? '')?.[1];
      if (name !== undefined) {
        const asset = await files.asset(name, String(request.headers['accept-encoding'] ?? ''));
        if (!asset) throw notFound('file');
        if (asset.encoding !== 'identity') reply.header('content-encoding', asset.encoding);
        varyBy('Accept-Encoding', reply);
        return reply
          .header('cache-control', 'public, max-age=31536000, immutable')
          .type(asset.type)
          .send(asset.bytes);
      }
      const page = await files.page();
      if (page === undefined) throw notFound('console');
      return reply
        .header('content-security-policy', CONSOLE_POLICY)
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(pageAt(page, path));
    });
}
