import type { FastifyInstance } from 'fastify';
import { FAILURE_CODES, type FailureData } from '../domain/failure.ts';
import { LOCAL_LIMITS, labelOf, SHARED_LIMITS } from '../domain/limits.ts';
import { type Reading, readingsBy, zerosFor } from '../domain/metrics.ts';
import type { NoteEnd } from './request-ends.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Null where nobody asks for metrics. */
    requestFigures: RequestFigures | null;
  }
  interface FastifyContextConfig {
    /** Those of the route, where somebody asks for metrics. */
    figures?: RouteFigures;
  }
}

/** Upper bounds of the buckets of durations, in milliseconds. */
const BOUNDS = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
/** What no route of ours answers: unknown paths, and methods that a path does not have. */
const OTHER = 'other';
/** Stands for the class of a status where the client left before it had the whole answer. */
const LEFT = 0;

/** The limits that an answer can be refused by. One without a sentence refuses no answer. */
const REFUSING = Object.entries({ ...SHARED_LIMITS, ...LOCAL_LIMITS }).flatMap(([name, { refusal }]) =>
  refusal === '' ? [] : [labelOf(name)],
);

/** Counts requests, in plain numbers. A route has its own, so that a request looks nothing up. */
export class RequestFigures {
  readonly #routes: RouteFigures[] = [];
  readonly #other = new RouteFigures(OTHER, OTHER);
  readonly #failures: Record<string, number> = zerosFor(Object.keys(FAILURE_CODES));
  readonly #refused: Record<string, number> = zerosFor(REFUSING);

  /** Counts the requests of all routes that are added after this call. */
  watch(app: FastifyInstance): void {
    app.addHook('onRoute', (route) => {
      const { method, url } = route;
      const figures = typeof method === 'string' ? this.#figuresOf(url, method) : this.#other;
      route.config = Object.assign({}, route.config, { figures });
    });
  }

  readonly noteEnd: NoteEnd = ({ routeOptions }, { elapsedTime }, status) => {
    (routeOptions.config.figures ?? this.#other).note(status, elapsedTime);
  };

  noteFailure({ error, limit }: Pick<FailureData, 'error' | 'limit'>): void {
    this.#failures[error] = (this.#failures[error] ?? 0) + 1;
    if (limit === undefined) return;
    const label = labelOf(limit);
    this.#refused[label] = (this.#refused[label] ?? 0) + 1;
  }

  /** Routes that were asked, and the others together. */
  get readings(): readonly Reading[] {
    const routes = [this.#other, ...this.#routes].filter((each) => each === this.#other || each.count > 0);
    return [
      ...routes.flatMap((each) => each.readings),
      ...readingsBy('stoa_http_failures_total', 'error', this.#failures),
      ...readingsBy('stoa_limits_refused_total', 'limit', this.#refused),
    ];
  }

  #figuresOf(route: string, method: string): RouteFigures {
    const figures = new RouteFigures(route, method);
    this.#routes.push(figures);
    return figures;
  }
}

class RouteFigures {
  count = 0;
  #milliseconds = 0;
  /** By the class of the status, and `LEFT`. */
  readonly #byKind = [0, 0, 0, 0, 0, 0];
  readonly #buckets = [...BOUNDS, Number.POSITIVE_INFINITY].map(() => 0);
  readonly #labels: { readonly route: string; readonly method: string };

  constructor(route: string, method: string) {
    this.#labels = { route, method };
  }

  note(status: number | undefined, milliseconds: number): void {
    this.count++;
    this.#milliseconds += milliseconds;
    const kind = status === undefined ? LEFT : Math.trunc(status / 100);
    this.#byKind[kind] = (this.#byKind[kind] ?? 0) + 1;
    let bucket = 0;
    while (milliseconds > (BOUNDS[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
  }

  get readings(): readonly Reading[] {
    const name = 'stoa_http_request_duration_seconds';
    const labels = this.#labels;
    let sum = 0;
    return [
      ...[2, 3, 4, 5, LEFT].map((kind) => ({
        name: 'stoa_http_requests_total' as const,
        value: this.#byKind[kind] ?? 0,
        labels: { ...labels, status: kind === LEFT ? 'left' : `${kind}xx` },
      })),
      ...this.#buckets.map((count, index) => {
        sum += count;
        const bound = BOUNDS[index];
        const le = bound === undefined ? '+Inf' : bound / 1_000;
        return { name, part: '_bucket', value: sum, labels: { ...labels, le } } as const;
      }),
      { name, part: '_sum', value: this.#milliseconds / 1_000, labels },
      { name, part: '_count', value: this.count, labels },
    ];
  }
}
