import { type Failure, malformed, tooManyRequests } from '../failure.ts';
import { type Reading, readingsBy, readingsOf } from '../metrics.ts';
import { partOf } from '../workers.ts';
import { type Asker, FairQueue } from './fair-queue.ts';
import { ADMISSION } from './figures.ts';
import { Shares } from './shares.ts';
import { ShortTurns } from './short-turns.ts';

/**
 * Limits what is under way in this process: the share of each source, the order of what waits, and what is refused. One
 * source never takes all of anything. Hooks of `http` call it for every request, and some routes call it for large
 * answers and searches.
 */
export class Admission {
  readonly mostConnections: number;
  readonly connections: Shares;
  readonly requestsAhead: Shares;
  readonly requests: Shares;
  readonly bytes: Shares;
  readonly turns = new ShortTurns();
  readonly searches: FairQueue;
  readonly writes: FairQueue;

  /** `processes`: how many share the connections evenly. Each gets that part of what they may have together. */
  constructor(searchesAtOnce: number, processes = 1) {
    const part = (total: number) => partOf(total, processes);
    this.mostConnections = part(ADMISSION.connections);
    this.connections = new Shares(this.mostConnections);
    this.requestsAhead = new Shares(part(ADMISSION.requestsAheadInAll));
    this.requests = new Shares(part(ADMISSION.requests));
    this.bytes = new Shares(Math.max(ADMISSION.leastBytes, part(ADMISSION.bytes)));
    this.searches = new FairQueue(searchesAtOnce, ADMISSION.searches);
    // Two, so that one is prepared while another is written.
    this.writes = new FairQueue(Math.max(2, searchesAtOnce), ADMISSION.writes);
  }

  get readings(): readonly Reading[] {
    const { connections, requests, bytes, requestsAhead } = this;
    const [searches, writes] = [this.searches.figures, this.writes.figures];
    return [
      ...readingsOf({
        stoa_connections_open: connections.taken,
        stoa_requests_under_way: requests.taken,
        stoa_request_held_bytes: bytes.taken,
        stoa_searches_under_way: searches.underWay,
      }),
      ...readingsBy('stoa_admission_waiting', 'kind', {
        ...this.turns.waiting,
        search: searches.waiting,
        write: writes.waiting,
      }),
      ...readingsBy('stoa_admission_refused_total', 'reason', {
        connections: connections.refused,
        requests_ahead: requestsAhead.refused,
        requests: requests.refused,
        bytes: bytes.refused,
        searches: searches.refused,
        writes: writes.refused,
      }),
    ];
  }

  /** Admits a request until its `end`. Fails with `too_many_requests` where its source has used its share. */
  admit(source: string): Admitted {
    if (!this.requests.take(source)) throw tooMany('Too many of your requests are under way');
    return new Admitted(this, source);
  }
}

/** A request under way, until its answer has been sent or its client has left, and what it writes has settled. */
export class Admitted {
  readonly #admission: Admission;
  readonly #source: string;
  #bytes = 0;
  #isOver = false;
  #isWriting = false;
  /** Removes the request from the queue in which it waits, if any. */
  #leave = () => {};

  constructor(admission: Admission, source: string) {
    this.#admission = admission;
    this.#source = source;
  }

  /** Begins the request, in this turn of the event loop or a later one. */
  begin(request: () => void): void {
    if (this.#admission.turns.mayBegin()) request();
    else this.#wait('request', request, () => {});
  }

  /**
   * Resolves in this turn of the event loop where the turn has time left, or in a later one. For a request whose body has
   * been read: the ends of a thousand bodies may arrive together. Fails once the client has left.
   */
  async turn(): Promise<void> {
    if (!this.#admission.turns.mayBegin()) await this.#nextTurn('request');
  }

  /**
   * Resolves in a turn that has no other heavy task. Fails once the client has left: who waits may have a place that
   * others need.
   */
  heavyTurn(): Promise<void> {
    return this.#nextTurn('heavy');
  }

  /**
   * Runs a write that costs much when it is the turn of its asker. Fails as `FairQueue`, and once the client has left.
   */
  write<Result>(asker: Asker, work: () => Promise<Result>): Promise<Result> {
    return this.untilLeft((leaving) => this.#admission.writes.run(asker, work, leaving));
  }

  /**
   * Waits in a queue, which is to end once the client has left (`leaving`): who waits there has the text of a whole
   * body or item, and its bytes are given back.
   */
  untilLeft<Result>(wait: (leaving: AbortSignal) => Promise<Result>): Promise<Result> {
    if (this.#isOver) return Promise.reject(clientLeft());
    const leaving = new AbortController();
    this.#leave = () => leaving.abort(clientLeft());
    return wait(leaving.signal);
  }

  /**
   * Counts bytes of the body, or of a large answer. Fails with `too_many_requests` beyond the share of its source, and
   * once the client has left, because nothing would give them back.
   */
  hold(bytes: number): void {
    if (this.#isOver) throw clientLeft();
    if (!this.#admission.bytes.take(this.#source, bytes))
      throw tooMany('Too many of your large requests are under way');
    this.#bytes += bytes;
  }

  /**
   * Runs what writes. The request gives nothing back before this has settled: a write that waits in the store has a
   * body, and takes its place there also when nobody waits for its answer. Fails once the client has left.
   */
  async settled<Result>(write: () => Promise<Result>): Promise<Result> {
    if (this.#isOver) throw clientLeft();
    this.#isWriting = true;
    try {
      return await write();
    } finally {
      this.#isWriting = false;
      if (this.#isOver) this.#giveBack();
    }
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#leave();
    if (!this.#isWriting) this.#giveBack();
  }

  #giveBack(): void {
    this.#admission.requests.give(this.#source);
    if (this.#bytes > 0) this.#admission.bytes.give(this.#source, this.#bytes);
  }

  #nextTurn(kind: 'request' | 'heavy'): Promise<void> {
    return new Promise((resolve, reject) => this.#wait(kind, resolve, () => reject(clientLeft())));
  }

  /** A waiting task may hold a whole page or body. So it is `forgotten` when the client leaves. */
  #wait(kind: 'request' | 'heavy', work: () => void, forgotten: () => void): void {
    if (this.#isOver) {
      forgotten();
      return;
    }
    const cancel = this.#admission.turns.wait(kind, this.#source, () => {
      this.#leave = () => {};
      work();
    });
    this.#leave = () => {
      cancel();
      forgotten();
    };
  }
}

/** Nobody sees this answer. */
function clientLeft(): Failure {
  return malformed('The client left before its answer.');
}

function tooMany(what: string): Failure {
  return tooManyRequests(`${what}; try again when some are answered.`, 1);
}
