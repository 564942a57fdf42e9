import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
  type RawServerDefault,
} from 'fastify';
import { Failure } from '../domain/failure.ts';
import { BatchedResponse } from './batched-response.ts';
import { boundChunks } from './chunks.ts';
import { shareNamedSchemas } from './components.ts';
import { answerBrokenRequests } from './connection-errors.ts';
import { boundConnections } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { answerErrors, sendFailure } from './errors.ts';
import { beginInTurn } from './fair-turns.ts';
import { securityHeaders } from './headers.ts';
import { acceptJson } from './json.ts';
import { LIMITS } from './limits.ts';
import { answerInTurn } from './pipelining.ts';
import { requireProperHead } from './proper-head.ts';
import { requestIds } from './request-id.ts';
import { logIgnoredNames, logRequests } from './request-log.ts';
import { serializers } from './serialization.ts';
import { boundRequests } from './under-way.ts';
import { nameWhatIsUnknown } from './unknown-names.ts';
import type { Formats } from './validation.ts';
import { compileOnFirstUse } from './validators.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface ServerOptions {
  readonly logger: FastifyBaseLogger;
  /** Addresses of the proxies whose X-Forwarded-* headers count; false for none. */
  readonly trustProxy: false | string[];
  readonly isHttps: boolean;
  /** Of other sites, whose pages may read the answers. */
  readonly corsOrigins: readonly string[];
  readonly formats: Formats;
}

/** Below a warning Fastify says nothing but that it listens, which whoever starts the service announces. */
function fromWarnings(logger: FastifyBaseLogger): FastifyBaseLogger {
  return ['trace', 'debug', 'info'].includes(logger.level) ? logger.child({}, { level: 'warn' }) : logger;
}

/** An HTTP server without routes: limits, strict JSON, envelope errors, request ids, security headers. */
export function createServer(options: ServerOptions): App {
  const { logger, trustProxy, isHttps, corsOrigins, formats } = options;
  const headers = securityHeaders(isHttps);
  const addOrigin = allowOrigins(corsOrigins);
  const addHeaders = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(headers).header('x-request-id', request.id);
    addOrigin(request, reply);
  };

  const app = Fastify({
    loggerInstance: fromWarnings(logger),
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all requests: the few lines that are written name their request themselves.
    childLoggerFactory: (parent) => parent,
    trustProxy,
    genReqId: requestIds(),
    requestTimeout: LIMITS.requestTimeout,
    http: {
      ServerResponse: BatchedResponse,
      headersTimeout: LIMITS.headersTimeout,
      connectionsCheckingInterval: LIMITS.timeoutCheck,
      maxHeaderSize: LIMITS.headers,
      // Node.js would answer outside of the envelope; `requireProperHead` asks for it.
      requireHostHeader: false,
    },
    bodyLimit: LIMITS.authBody,
    schemaController: { compilersFactory: { buildSerializer: serializers() } },
    // While closing, running connections are answered as ever, and then closed.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequests(headers),
    // No hook runs for these.
    frameworkErrors: (_error, request, reply) => {
      addHeaders(request, reply);
      const message = 'The path of the request is not a valid URL.';
      sendFailure(request, reply, new Failure({ error: 'malformed_request', message }));
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  boundConnections(app, { proxies: trustProxy || [] });
  answerInTurn(app);
  logRequests(app, logger);
  app.addHook('onRequest', (request, reply, done) => {
    addHeaders(request, reply);
    done();
  });
  boundChunks(app);
  boundRequests(app);
  beginInTurn(app);
  requireProperHead(app);
  nameWhatIsUnknown(app, logIgnoredNames(logger));
  shareNamedSchemas(app);
  compileOnFirstUse(app, formats);
  acceptJson(app);
  answerErrors(app, formats);
  return app;
}
