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
import type { Admission } from '../domain/admission/admission.ts';
import { BoundedLog } from '../domain/bounded-log.ts';
import { malformed } from '../domain/failure.ts';
import type { Tracing } from '../domain/tracing.ts';
import { BatchedResponse } from './answers.ts';
import { shareNamedSchemas } from './components.ts';
import { answerBrokenRequests } from './connection-errors.ts';
import { inTurn } from './connection-requests.ts';
import { admitConnections } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { answerErrors, sendFailure } from './errors.ts';
import { addFailureMembers, type FailureMembers } from './failure-members.ts';
import { securityHeaders } from './headers.ts';
import { acceptJson } from './json.ts';
import { LIMITS } from './limits.ts';
import { readIntegers, readRepeated } from './paging.ts';
import { requireProperHead } from './proper-head.ts';
import { watchEnds } from './request-ends.ts';
import type { RequestFigures } from './request-figures.ts';
import { requestIds } from './request-id.ts';
import { logIgnoredNames, logRequests } from './request-log.ts';
import { newRequestTotals } from './request-totals.ts';
import { endTrace, traceRequests } from './request-traces.ts';
import { schemaBucket } from './schema-bucket.ts';
import { serializers } from './serialization.ts';
import { logSlowRequests } from './slow-requests.ts';
import { endStreams } from './streams.ts';
import { admitRequests } from './under-way.ts';
import { nameWhatIsUnknown } from './unknown-names.ts';
import type { Formats } from './validation.ts';
import { compileOnFirstUse } from './validators.ts';
import { refusePageBesideCursor } from './walking.ts';

export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface ServerOptions {
  readonly logger: FastifyBaseLogger;
  readonly slow: BoundedLog;
  /** Addresses of the proxies whose X-Forwarded-* headers count; false for none. */
  readonly trustProxy: false | string[];
  /** The address that clients use, if it is set. */
  readonly publicUrl: string | undefined;
  /** Origins of other sites whose pages may read the answers. */
  readonly corsOrigins: readonly string[];
  /** Further headers that these pages may read. */
  readonly exposedHeaders?: readonly string[];
  readonly formats: Formats;
  readonly admission: Admission;
  readonly failures: FailureMembers;
  /** Counts requests for the metrics, where somebody reads them. */
  readonly requestFigures?: RequestFigures | undefined;
  readonly tracing?: Tracing | undefined;
}

/** Below warnings Fastify logs only that it listens, which the command that starts the service logs itself. */
function fromWarnings(logger: FastifyBaseLogger): FastifyBaseLogger {
  return ['trace', 'debug', 'info'].includes(logger.level) ? logger.child({}, { level: 'warn' }) : logger;
}

/** An HTTP server without routes: limits, strict JSON, envelope errors, request ids, security headers. */
export function createServer(options: ServerOptions): App {
  const {
    logger,
    slow,
    trustProxy,
    publicUrl,
    corsOrigins,
    exposedHeaders,
    formats,
    failures,
    admission,
    requestFigures,
    tracing,
  } = options;
  const headers = securityHeaders(publicUrl?.startsWith('https:') ?? false);
  const addOrigin = allowOrigins(corsOrigins, exposedHeaders);
  const addHeaders = (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(headers).header('x-request-id', request.id);
    addOrigin(request, reply);
  };

  // Its handlers of errors call `connections` and `turnOf`, which are made of it below.
  const app: App = Fastify({
    loggerInstance: fromWarnings(logger),
    logController: new LogController({ disableRequestLogging: true }),
    // One logger for all requests, because the few lines name their request themselves.
    childLoggerFactory: (parent) => parent,
    trustProxy,
    genReqId: requestIds(),
    // A slow body is ended earlier, by `admitConnections`.
    requestTimeout: LIMITS.longestRequest,
    http: {
      ServerResponse: BatchedResponse,
      headersTimeout: LIMITS.headersTimeout,
      connectionsCheckingInterval: LIMITS.timeoutCheck,
      maxHeaderSize: LIMITS.headers,
      // `requireProperHead` checks the header, because Node.js would answer outside of the envelope.
      requireHostHeader: false,
    },
    bodyLimit: LIMITS.body,
    // The text of all findings may have megabytes, and nobody reads it: `answerErrors` writes its own.
    schemaErrorFormatter: () => new Error('The request breaks its schema.'),
    routerOptions: { maxParamLength: LIMITS.pathPart },
    schemaController: {
      bucket: schemaBucket((): FastifyInstance => app),
      compilersFactory: { buildSerializer: serializers() },
    },
    // A service that stops still answers the requests on its connections.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequests(headers, (socket) => connections.get(socket)?.answer),
    // Fastify runs no hook for these errors.
    frameworkErrors: (_error, request, reply) =>
      turnOf(request.raw, reply.raw, () => {
        addHeaders(request, reply);
        sendFailure(request, reply, malformed('The path of the request is not a valid URL.'));
      }),
  }).withTypeProvider<TypeBoxTypeProvider>();

  const connections = admitConnections(app, admission, trustProxy || []);
  const turnOf = inTurn(admission, connections);
  app.addHook('onRequest', (request, reply, done) => turnOf(request.raw, reply.raw, done));
  const totals = newRequestTotals();
  app.decorate('basePath', new URL(publicUrl ?? 'http://localhost').pathname.replace(/\/$/, ''));
  app.decorate('requestTotals', totals);
  app.decorate('requestFigures', requestFigures ?? null);
  app.decorate('busyLog', new BoundedLog(logger));
  requestFigures?.watch(app);
  traceRequests(app, tracing);
  watchEnds(app, [...(requestFigures ? [requestFigures.noteEnd] : []), ...(tracing ? [endTrace] : [])]);
  logRequests(app, logger);
  app.addHook('onRequest', (request, reply, done) => {
    totals.requests++;
    addHeaders(request, reply);
    done();
  });
  admitRequests(app, admission);
  logSlowRequests(app, slow);
  requireProperHead(app);
  readIntegers(app);
  readRepeated(app);
  refusePageBesideCursor(app);
  nameWhatIsUnknown(app, logIgnoredNames(logger));
  addFailureMembers(app, failures);
  shareNamedSchemas(app);
  compileOnFirstUse(app, formats);
  acceptJson(app);
  answerErrors(app, formats);
  app.addHook('preClose', async () => endStreams(app.server));
  return app;
}
