import { setTimeout as pause } from 'node:timers/promises';
import { type Context, createTraceState, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { reasonOf } from '../domain/reason.ts';
import type { Tracing } from '../domain/tracing.ts';
import { beginTrace } from './spans.ts';

/** Spans that wait for the collector. What comes then is dropped, and slows nobody. */
const WAITING = 4_096;
const BATCH = 512;
const EVERY_MS = 1_000;
const EXPORT_MS = 5_000;
const CLOSE_MS = 2_000;
/** ExportResultCode.FAILED of a package that is not one of ours. */
const FAILED = 1;

export interface TraceSettings {
  /** The whole URL to which spans are sent. */
  readonly url: string;
  /** Headers for the collector, such as its key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  /** The part of new traces that is kept, from 0 to 1. */
  readonly ratio: number;
}

/** The names of OpenTelemetry for our engines. */
const SYSTEMS = { sqlite: 'sqlite', postgres: 'postgresql' } as const;

interface Log {
  info(message: string): void;
  warn(about: object, message: string): void;
}

/** Sends traces by OTLP over HTTP. A collector that is away is told in the log once, until it is back. */
export function openTracing(
  { url, headers, serviceName, ratio }: TraceSettings,
  engine: keyof typeof SYSTEMS,
  version: string,
  log: Log,
): Tracing {
  const exporter = new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_MS });
  let isClosed = false;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName, 'service.version': version }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: withOutageLogged(exporter, log, () => isClosed),
        maxQueueSize: WAITING,
        maxExportBatchSize: BATCH,
        scheduledDelayMillis: EVERY_MS,
        exportTimeoutMillis: EXPORT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('stoa', version);
  const begin = (name: string, kind: SpanKind, parent: Context) =>
    beginTrace({ tracer, system: SYSTEMS[engine] }, name, kind, parent);
  return {
    request(headers) {
      return begin('request', SpanKind.SERVER, contextOf(headers.traceparent, headers.tracestate));
    },
    async sending(name, send, hasFailed = () => false) {
      const sent = begin(name, SpanKind.CLIENT, ROOT_CONTEXT);
      let isFailed = true;
      try {
        const result = await send(sent);
        isFailed = hasFailed(result);
        return result;
      } finally {
        sent.end(name, {}, isFailed);
      }
    },
    async close() {
      await Promise.race([provider.shutdown(), pause(CLOSE_MS, undefined, { ref: false })]).catch(() => {});
      isClosed = true;
    },
  };
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
/** Characters that the recommendation asks everybody to pass on. */
const LONGEST_STATE = 512;

/** What is not well-formed begins a trace of its own, as the recommendation asks. */
function contextOf(traceparent: unknown, tracestate: unknown): Context {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(String(traceparent)) ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const isShort = typeof tracestate === 'string' && tracestate.length <= LONGEST_STATE;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
    ...(isShort && { traceState: createTraceState(tracestate) }),
  });
}

/** The exporter, whose first failure and next success are logged. It drops what is left when the service has stopped. */
function withOutageLogged(exporter: SpanExporter, log: Log, isClosed: () => boolean): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) => {
      if (isClosed()) {
        done({ code: FAILED });
        return;
      }
      exporter.export(spans, (result) => {
        const failed = result.code === FAILED;
        if (failed && !isAway)
          log.warn(
            { cause: reasonOf(result.error) },
            'the collector of traces takes nothing; what waits too long is dropped',
          );
        if (!failed && isAway) log.info('the collector of traces takes them again');
        isAway = failed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush && { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}
