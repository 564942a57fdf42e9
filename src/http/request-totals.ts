declare module 'fastify' {
  interface FastifyInstance {
    requestTotals: RequestTotals;
  }
}

/** Plain counts since the start, kept where nobody asks for metrics too. */
export interface RequestTotals {
  requests: number;
  /** Answers from 500 on, without `busy`. */
  serverErrors: number;
}

export function newRequestTotals(): RequestTotals {
  return { requests: 0, serverErrors: 0 };
}
