import { FairQueue, type QueueFigures } from '../../domain/admission/fair-queue.ts';
import { ADMISSION } from '../../domain/admission/figures.ts';
import { type Reading, readingsBy } from '../../domain/metrics.ts';
import type { WriteOperation } from '../operation.ts';

/** One connection of each kind, and one more. */
const LEAST_FOR_TWO = 3;

/**
 * The turns of transactions that somebody asks for. Ordinary ones have half of the connections and exclusive ones three
 * of ten, so that reads and jobs have the others.
 */
export class TransactionTurns {
  readonly #queues: Readonly<Record<WriteOperation<unknown, unknown>['turns'], FairQueue>>;

  /** `size`: how many connections there are. */
  constructor(size: number, patience: number) {
    const turnsFor = (connections: number, figures: QueueFigures) =>
      new FairQueue(Math.max(1, Math.floor(connections)), {
        ...figures,
        patience: patience * figures.patience,
      });
    const ordinary = turnsFor(size / 2, ADMISSION.transactions);
    const exclusive =
      size < LEAST_FOR_TWO ? ordinary : turnsFor((3 * size) / 10, ADMISSION.exclusiveTransactions);
    this.#queues = { ordinary, exclusive };
  }

  of({ turns }: Pick<WriteOperation<unknown, unknown>, 'turns'>): FairQueue {
    return this.#queues[turns];
  }

  get readings(): readonly Reading[] {
    const [ordinary, exclusive] = [this.#queues.ordinary.figures, this.#queues.exclusive.figures];
    return [
      ...readingsBy('stoa_admission_waiting', 'kind', {
        ordinary_transaction: ordinary.waiting,
        exclusive_transaction: exclusive.waiting,
      }),
      ...readingsBy('stoa_admission_refused_total', 'reason', {
        ordinary_transactions: ordinary.refused,
        exclusive_transactions: exclusive.refused,
      }),
    ];
  }
}
