import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Admission, Admitted } from '../domain/admission/admission.ts';
import { sourceOf } from '../domain/source.ts';
import type { TooLong } from '../domain/too-long.ts';
import { LIMITS } from './limits.ts';
import { beginMeasuring } from './slow-requests.ts';

/** The methods that write nothing. HEAD of most routes makes the whole answer of GET, and sends its head. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

declare module 'fastify' {
  interface FastifyRequest {
    admitted: Admitted | null;
  }
}

/**
 * Bounds the requests under way by source (one too many gets 429), and begins each when it is its turn. A write whose
 * client has left still costs the store, so it is under way until its handler has settled.
 */
export function admitRequests(app: FastifyInstance, admission: Admission): void {
  app.decorateRequest('admitted', null);
  app.addHook('onRoute', (route) => {
    if ([route.method].flat().every((method) => READS.has(method))) return;
    const { handler } = route;
    route.handler = function (request, reply) {
      return admittedOf(request).settled(async () => handler.call(this, request, reply));
    };
  });
  app.addHook('onRequest', (request, reply, done) => {
    const admitted = admission.admit(sourceOf(request.ip));
    request.admitted = admitted;
    reply.raw.once('close', () => admitted.end());
    admitted.begin(() => beginMeasuring(request, reply, done));
  });
}

/** The admission of a request, which every request has. */
export function admittedOf({ admitted }: FastifyRequest): Admitted {
  if (!admitted) throw new Error('The request was not admitted.');
  return admitted;
}

/**
 * Ends the admission before the answer ends. For an answer that goes on without work, which its route bounds in another
 * way.
 */
export function endAdmission(request: FastifyRequest): void {
  admittedOf(request).end();
}

/**
 * Counts bytes of a request under way. Fails with `too_many_requests` where its source has used its share (`Admitted`).
 */
export function holdBytes(request: FastifyRequest, bytes: number): void {
  admittedOf(request).hold(bytes);
}

/** The same for a text, where it is large. Returns its bytes. */
export function holdLargeText(request: FastifyRequest, bytes: number): number {
  if (bytes >= LIMITS.large) holdBytes(request, bytes);
  return bytes;
}

/** Resolves when the turn of the event loop has time for a body of this many bytes. Fails once the client has left. */
export function turnForBody(request: FastifyRequest, bytes: number): Promise<void> {
  return bytes < LIMITS.large ? admittedOf(request).turn() : heavyTurn(request);
}

/** Resolves in a turn of the event loop that has no other heavy task. Fails once the client has left. */
export function heavyTurn(request: FastifyRequest): Promise<void> {
  return admittedOf(request).heavyTurn();
}

/**
 * For a route whose answer may be large. `size` is the number of characters in its long texts. A large answer is
 * written as JSON in a turn of its own. Until it was sent, what was read counts as bytes of its request. Fails with
 * `too_many_requests` where the source has used its share of bytes, but never after a write.
 */
export function largeInTurn<Answer>(
  request: FastifyRequest,
  size: number,
  answer: Answer,
): Answer | Promise<Answer> {
  holdLarge(request, size);
  return heldInTurn(request, size, answer);
}

/** The same for an answer that is JSON already and needs no turn of its own. */
export function holdLarge(request: FastifyRequest, size: number): void {
  if (READS.has(request.method)) holdLargeText(request, size);
}

/** As `largeInTurn`, for what was held when it was read (`readHeld`). */
export function heldInTurn<Answer>(
  request: FastifyRequest,
  size: number,
  answer: Answer,
): Answer | Promise<Answer> {
  return size < LIMITS.large ? answer : heavyTurn(request).then(() => answer);
}

/**
 * Reads what may be large. `find` is told the most bytes that it may read. A large text is read after its bytes were
 * counted, so that a source which has used its share is refused for the price of a short read. Fails as `holdBytes`.
 */
export async function readHeld<Found extends object>(
  request: FastifyRequest,
  find: (most: number) => Promise<Found | TooLong>,
): Promise<Found> {
  let [most, held] = [LIMITS.large, 0];
  for (;;) {
    const found = await find(most);
    if (!('bytes' in found)) return found;
    // The text may have grown since it was counted.
    holdBytes(request, found.bytes - held);
    most = held = found.bytes;
  }
}
