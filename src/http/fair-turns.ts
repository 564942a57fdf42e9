import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Turns } from '../domain/turns.ts';
import { LIMITS } from './limits.ts';

type Begin = () => void;

/** Milliseconds after which a turn of the event loop begins no more requests, and the same where somebody new came. */
const TURN_MS = 10;
const TURN_OF_NEWCOMER_MS = 1;
/** So many turns in which somebody new came pass before one of heavy work, so that it goes on. */
const MOST_PASSED = 16;

const requests = new Turns<Begin>(LIMITS.requests);
const heavy = new Turns<Begin>(LIMITS.requests);

/** When the first work of this turn began, by `performance.now()`. */
let began: number | undefined;
let limit = TURN_MS;
let hasNewcomer = false;
let passed = 0;

/**
 * Keeps each turn of the event loop short: what it has no time for begins in a later one, by source (decisions 0065).
 * Node.js accepts one connection in a turn. If a turn did all that sixty clients ask for, the last of sixty newcomers
 * would wait for seconds.
 */
export function beginInTurn(app: FastifyInstance): void {
  app.server.prependListener('connection', () => {
    hasNewcomer = true;
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (requests.length === 0 && hasTime()) done();
    else wait(requests, request, done);
  });
}

/**
 * Resolves in a turn that does no other heavy work: reading or writing JSON for a millisecond and more. Where nobody
 * waits for the request any more, it never resolves.
 */
export function heavyTurn(request: FastifyRequest): Promise<void> {
  return new Promise((resolve) => wait(heavy, request, resolve));
}

function wait(queue: Turns<Begin>, { held }: FastifyRequest, begin: Begin): void {
  if (!held) throw new Error('A request waits for its turn that is not counted.');
  if (held.isOver) return;
  const { source } = held;
  queue.add(begin, source);
  // What waits may hold a whole page or body.
  held.leave = () => queue.remove(begin, source);
  noteTurn();
}

function hasTime(): boolean {
  return performance.now() - noteTurn() < limit;
}

function noteTurn(): number {
  if (began !== undefined) return began;
  setImmediate(nextTurn);
  began = performance.now();
  return began;
}

function nextTurn(): void {
  const isPassed = hasNewcomer && passed < MOST_PASSED;
  passed = isPassed ? passed + 1 : 0;
  limit = hasNewcomer ? TURN_OF_NEWCOMER_MS : TURN_MS;
  hasNewcomer = false;
  began = undefined;
  if (requests.length + heavy.length === 0) return;
  noteTurn();
  const work = isPassed ? undefined : heavy.take();
  work?.();
  beginNext();
}

/** When all that was begun before has done what it could at once, so that the clock shows what it took. */
function beginNext(): void {
  queueMicrotask(() => process.nextTick(beginRequest));
}

function beginRequest(): void {
  const next = requests.take();
  next?.();
  if (next && hasTime()) beginNext();
}
