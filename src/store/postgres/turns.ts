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
  readonly #ordinary: FairQueue;
  readonly #exclusive: FairQueue;

  /** `size`: how many connections there are. */
  constructor(size: number, patience: number) {
    const turnsFor = (connections: number, figures: QueueFigures) =>
      new FairQueue(Math.max(1, Math.floor(connections)), {
        ...figures,
        patience: patience * figures.patience,
      });
    this.#ordinary = turnsFor(size / 2, ADMISSION.transactions);
    this.#exclusive =
      size < LEAST_FOR_TWO ? this.#ordinary : turnsFor((3 * size) / 10, ADMISSION.exclusiveTransactions);
  }

  of({ turns }: Pick<WriteOperation<unknown, unknown>, 'turns'>): FairQueue {
    return turns === 'exclusive' ? this.#exclusive : this.#ordinary;
  }

  get readings(): readonly Reading[] {
    const [ordinary, exclusive] = [this.#ordinary.figures, this.#exclusive.figures];
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
