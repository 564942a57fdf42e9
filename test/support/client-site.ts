import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { build } from 'esbuild';

/** Decides what happens to a request instead of passing it on: `answer` passes it on, and returns when it is answered. */
type Meddle = (
  asked: IncomingMessage,
  reply: ServerResponse,
  answer: (drop?: boolean) => Promise<void>,
) => unknown;

export interface ClientSite {
  readonly url: string;
  /** Method and path of each request to the service. */
  readonly asked: readonly string[];
  /** Requests of this path are handled by this function until another one is given. */
  readonly meddle: (path: string, by: Meddle | undefined) => void;
  /** Requests of this path wait until `free` is called. `asked` resolves with the first. */
  readonly hold: (path: string) => { readonly asked: Promise<void>; readonly free: () => void };
  /** The service moves. */
  readonly moveTo: (service: string) => void;
}

/** Made once for all sites of a process: each takes as long as a service takes to start. */
let pageOfClient: Promise<string> | undefined;

async function buildPage(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from './index.ts'; export { listen } from './live.ts';",
      resolveDir: new URL('../../client/src', import.meta.url).pathname,
    },
    bundle: true,
    format: 'iife',
    globalName: 'stoaClient',
    write: false,
  });
  return `<!doctype html><script>${outputFiles[0]?.text}</script>`;
}

/** One origin with the service below /api and a page that has the client as `globalThis.stoaClient`. */
export async function startClientSite(t: Pick<TestContext, 'after'>, first: string): Promise<ClientSite> {
  let service = first;
  pageOfClient ??= buildPage();
  const page = await pageOfClient;
  const asked: string[] = [];
  const meddlers = new Map<string, Meddle>();
  const site = createServer(async (incoming, reply) => {
    const path = (incoming.url ?? '').replace(/\?.*/, '');
    if (!path.startsWith('/api/')) return reply.setHeader('content-type', 'text/html').end(page);
    asked.push(`${incoming.method} ${path}`);
    const answer = (drop = false) => pass(service, incoming, reply, drop);
    const meddler = meddlers.get(path);
    await (meddler ? meddler(incoming, reply, answer) : answer());
  }).listen(0, '127.0.0.1');
  t.after(() => {
    site.close();
    site.closeAllConnections();
  });
  await once(site, 'listening');
  const meddle: ClientSite['meddle'] = (path, by) => {
    if (by) meddlers.set(path, by);
    else meddlers.delete(path);
  };
  return {
    url: `http://127.0.0.1:${(site.address() as AddressInfo).port}`,
    asked,
    meddle,
    hold: (path) => {
      const [asked, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      meddle(path, async (_asked, _reply, answer) => {
        asked.resolve();
        await free.promise;
        await answer();
      });
      return { asked: asked.promise, free: free.resolve };
    },
    moveTo: (to) => {
      service = to;
    },
  };
}

/** With `drop`, the service answers and the answer gets lost. */
async function pass(service: string, incoming: IncomingMessage, reply: ServerResponse, drop: boolean) {
  const { method, headers, url } = incoming;
  const onward = request(service + url, { method: method ?? 'GET', headers });
  reply.on('close', () => onward.destroy());
  onward.on('error', () => reply.destroy());
  incoming.pipe(onward);
  onward.on('response', (answer) => {
    if (drop) {
      answer.resume();
      answer.on('end', () => reply.destroy());
      return;
    }
    reply.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', () => reply.destroy());
    answer.pipe(reply);
  });
  // A reply that its reader has left may end with an error.
  await once(reply, 'close').catch(() => {});
}
