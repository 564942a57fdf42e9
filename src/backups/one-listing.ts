import { Failure } from '../domain/failure.ts';

/** A request waits this long for a folder, which may be on a share that hangs. */
const PATIENCE_MS = 2_000;

/**
 * Lists one page at a time. On a share that hangs a listing takes a thread of the runtime's pool of four, which signs
 * tokens too. So other requests wait until it has ended, and each fails with `unavailable` after two seconds.
 */
export function oneListing<Request, Page>(
  list: (request: Request) => Promise<Page>,
): (request: Request) => Promise<Page> {
  let underWay: Promise<unknown> | undefined;
  return async (request) => {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(noAnswer()), PATIENCE_MS).unref();
    try {
      while (underWay) await Promise.race([underWay, late.promise]);
      const listing = list(request);
      underWay = listing
        .catch(() => {})
        .finally(() => {
          underWay = undefined;
        });
      return await Promise.race([listing, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  };
}

function noAnswer(): Failure {
  return new Failure({
    error: 'unavailable',
    message: 'The folder of the backups does not answer; try again later.',
    retryAfter: 10,
  });
}
