import { isUnavailable } from '../../domain/failure.ts';
import type { Reading } from '../../domain/metrics.ts';
import type { Announcement } from '../announcements.ts';
import { runWrite, type WriteOperation } from '../operation.ts';
import type { AnnouncementListener } from './announcements.ts';
import { kyselyOn, type NameOf, postgresEngine } from './dialect.ts';
import { isSilence, type Runner } from './pipeline/index.ts';
import type { ConnectionPool } from './pool.ts';
import type { Silence } from './silence.ts';
import { transaction } from './transaction.ts';
import { TransactionTurns } from './turns.ts';

/** Operations lock the rows that they decide by. A serializable transaction would repeat most concurrent inserts. */
const BEGIN_WRITE = ['BEGIN ISOLATION LEVEL READ COMMITTED'];
/**
 * The commit of derived data does not wait for the disk. Each statement is planned again, because a plan that was made
 * for small tables would read large ones whole.
 */
const BEGIN_DERIVED = [
  ...BEGIN_WRITE,
  'SET LOCAL synchronous_commit = off',
  'SET LOCAL plan_cache_mode = force_custom_plan',
];

interface Parts {
  readonly pool: ConnectionPool;
  readonly names: NameOf;
  readonly silence: Silence;
  /** Tells other instances, in the transaction. */
  readonly send: AnnouncementListener['send'];
  /** Tells those of this process who listen. */
  readonly tell: (announcements: readonly Announcement[]) => void;
  readonly patience: number;
}

/** Runs writes of several statements, each in a transaction of its own. */
export class Transactions {
  readonly #parts: Parts;
  readonly #turns: TransactionTurns;

  constructor(parts: Parts, connections: number) {
    this.#parts = parts;
    this.#turns = new TransactionTurns(connections, parts.patience);
  }

  /** Writes of one asker may wait for each other. Then they hold few connections, and others find one. */
  run<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const { silence } = this.#parts;
    const asker = operation.askerOf?.(input);
    if (!asker) return this.#transact(operation, input);
    const transact = async () => {
      try {
        return await this.#transact(operation, input);
      } catch (error) {
        if (isSilence(error)) silence.note();
        throw error;
      }
    };
    return this.#turns.of(operation).run(asker, transact, silence.signal);
  }

  /** Announces after the commit, and also if nobody knows whether the commit was made. */
  async #transact<Input, Output>(operation: WriteOperation<Input, Output>, input: Input): Promise<Output> {
    const { pool, names, send, tell } = this.#parts;
    let announcements: readonly Announcement[] = [];
    const run = async (runner: Runner) => {
      const ran = await runWrite(operation, kyselyOn(runner, names), input, postgresEngine, send);
      announcements = ran.announcements;
      return ran.value;
    };
    try {
      const output = await transaction(pool, operation.isDerived ? BEGIN_DERIVED : BEGIN_WRITE, run);
      tell(announcements);
      return output;
    } catch (error) {
      if (isUnavailable(error)) tell(announcements);
      throw error;
    }
  }

  get readings(): readonly Reading[] {
    return this.#turns.readings;
  }
}
