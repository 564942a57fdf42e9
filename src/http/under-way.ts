import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Failure, tooManyRequests } from '../domain/failure.ts';
import { sourceOf } from '../domain/source.ts';
import { LIMITS } from './limits.ts';
import { Shares } from './shares.ts';

/** What a request takes of what all have together, until its answer has gone out. */
interface Held {
  readonly source: string;
  /** Of its body, and of its answer where that is large. */
  bytes: number;
  /** Takes the request out of where it waits for its turn, or waited. */
  leave: () => void;
  /** Its answer has gone out, or nobody is there any more to take it. */
  isOver: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    held: Held | null;
  }
}

const bodies = new Shares(LIMITS.bodies);

/** Bounds the requests under way by source: one that is too many is 429 (decisions 0043). */
export function boundRequests(app: FastifyInstance): void {
  const requests = new Shares(LIMITS.requests);
  app.decorateRequest('held', null);
  app.addHook('onRequest', (request, { raw: response }, done) => {
    const held: Held = { source: sourceOf(request.ip), bytes: 0, leave: () => {}, isOver: false };
    if (!requests.take(held.source)) return done(tooMany('Too many of your requests are under way'));
    request.held = held;
    response.once('close', () => {
      held.isOver = true;
      held.leave();
      requests.give(held.source);
      if (held.bytes > 0) bodies.give(held.source, held.bytes);
    });
    done();
  });
}

/** Counts bytes of a request under way. Fails with 429 where its source has its share. */
export function holdBytes({ held }: FastifyRequest, bytes: number): void {
  if (!held) throw new Error('Bytes are held for a request that is not counted.');
  if (!bodies.take(held.source, bytes)) throw tooMany('Too many of your large requests are under way');
  held.bytes += bytes;
}

function tooMany(what: string): Failure {
  return tooManyRequests(`${what}; try again when some are answered.`, 1);
}
