import type { StatementNotes } from './statements.ts';

/** A part of a trace that has begun. */
export interface TracePart {
  /** What the part runs on the database, if it is an operation. */
  readonly statements: StatementNotes;
  /** Ends the part, with the error if it failed. */
  end(error?: unknown): void;
}

/** What of a request, or of something that the service sends, is told to a collector of traces. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly id: string;
  /** The header of this name (https://www.w3.org/TR/trace-context/), for whoever is asked next. */
  readonly traceparent: string;
  /** Begins a part, such as an operation of the store. Undefined if this trace is not kept. */
  begin(part: string): TracePart | undefined;
  /** Ends it. `name` has no text of a client. */
  end(name: string, about: Readonly<Record<string, string | number>>, isFailed: boolean): void;
}

/** Makes traces (src/traces/open.ts). There is none where OTEL_EXPORTER_OTLP_ENDPOINT is not set. */
export interface Tracing {
  /** Goes on with the trace of the headers, if they name one. */
  request(headers: Readonly<Record<string, unknown>>): Trace;
  /** Traces the sending of a mail or a webhook. It has failed where `send` rejects, or where its result says so. */
  sending<Result>(
    name: string,
    send: (trace: Trace) => Promise<Result>,
    hasFailed?: (result: Result) => boolean,
  ): Promise<Result>;
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>;
}
