import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { Failure } from '../domain/failure.ts';
import { type StatementData, StatementNotes } from '../domain/statements.ts';
import { monotonic } from '../domain/time.ts';
import type { Trace } from '../domain/tracing.ts';
import { statementText } from './statement-text.ts';

interface Making {
  readonly tracer: Tracer;
  /** The name of the database system. */
  readonly system: string;
}

/** Begins the first span that this process adds to a trace. */
export function beginTrace(making: Making, name: string, kind: SpanKind, parent: Context): Trace {
  const { tracer } = making;
  // All times of a trace are of one clock, so that its parts lie inside of it.
  const clock = Date.now() - monotonic();
  const now = () => clock + monotonic();
  const span = tracer.startSpan(name, { kind, startTime: now() }, parent);
  const context = trace.setSpan(ROOT_CONTEXT, span);
  const { traceId, spanId, traceFlags } = span.spanContext();
  return {
    id: traceId,
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
    begin(part) {
      if ((traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
      const child = tracer.startSpan(part, { startTime: now() }, context);
      const statements = new StatementNotes();
      return {
        statements,
        end(error) {
          addStatements(making, clock, child, statements.data);
          // A failure is what the client is told, and no fault.
          if (error !== undefined && !(error instanceof Failure && error.code < 500))
            child.setStatus({ code: SpanStatusCode.ERROR });
          child.end(now());
        },
      };
    },
    end(name, about, isFailed) {
      span.updateName(name).setAttributes(about);
      if (isFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(now());
    },
  };
}

/**
 * Adds a span for each noted statement of an operation, and the number of the others
 * (https://opentelemetry.io/docs/specs/semconv/db/database-spans/). `clock` is the time when `monotonic` was 0.
 */
function addStatements(
  { tracer, system }: Making,
  clock: number,
  operation: Span,
  statements: StatementData,
) {
  const context = trace.setSpan(ROOT_CONTEXT, operation);
  for (const { sql, began, ended, error } of statements.noted) {
    const { text, summary } = statementText(sql);
    const attributes = { 'db.system.name': system, 'db.query.summary': summary, 'db.query.text': text };
    const options = { kind: SpanKind.CLIENT, startTime: clock + began, attributes };
    const span = tracer.startSpan(summary, options, context);
    if (error !== undefined) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
    span.end(clock + ended);
  }
  if (statements.others > 0) operation.setAttribute('stoa.statements_without_span', statements.others);
}
