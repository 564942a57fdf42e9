import { AggregatorRegistry, Registry } from 'prom-client';
import type { Reading } from '../domain/metrics.ts';
import type { Peer } from '../domain/peer.ts';
import { counted, readingsOfAll } from './among-workers.ts';
import type { MetricsText } from './listener.ts';
import { registryOfNode, textOfNode } from './of-node.ts';
import { textOf } from './text.ts';
import { isWorkerReport, type NodeMetrics, type WorkerReport } from './worker-report.ts';

/** A worker that does not answer within this time is reported as it was last. */
const PATIENCE_MS = 3_000;

interface Options {
  /** Workers that serve now. */
  readonly workers: () => readonly Peer[];
  /** Figures of the primary itself. */
  readonly readings: () => readonly Reading[];
}

/** The metrics of a service with several workers: their figures together, and those of the primary. */
export class ServiceMetrics implements MetricsText {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #options: Options;
  readonly #own = registryOfNode();
  readonly #last = new Map<Peer, WorkerReport>();
  /** What workers that ended had counted when they were last asked. */
  #past: WorkerReport = { readings: [], ofNode: [] };
  #making: Promise<string> | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** All who ask at the same time get the same text. */
  text(): Promise<string> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<string> {
    const workers = this.#options.workers();
    await this.#keepPast(workers);
    await Promise.all(workers.map((worker, index) => this.#ask(worker, index === 0)));
    const reports = [this.#past, ...this.#last.values()];
    const readings = [...this.#options.readings(), ...reports.flatMap((report) => report.readings)];
    const ofNode = sumOf([await this.#own.getMetricsAsJSON(), ...reports.map((report) => report.ofNode)]);
    return `${textOf(readingsOfAll(readings))}\n${await textOfNode(ofNode)}`;
  }

  async #ask(worker: Peer, isMeasuring: boolean): Promise<void> {
    const answer = await worker.callWithin(PATIENCE_MS, 'metrics', isMeasuring);
    if (isWorkerReport(answer)) this.#last.set(worker, answer);
  }

  async #keepPast(living: readonly Peer[]): Promise<void> {
    for (const [worker, { readings, ofNode }] of this.#last) {
      if (living.includes(worker)) continue;
      this.#last.delete(worker);
      const sum = sumOf([this.#past.ofNode, ofNode.filter(({ type }) => isCounted(type))]);
      this.#past = {
        readings: readingsOfAll([...this.#past.readings, ...counted(readings)]),
        ofNode: await sum.getMetricsAsJSON(),
      };
    }
  }
}

function sumOf(reports: readonly NodeMetrics[]): Registry {
  return AggregatorRegistry.aggregate(reports.map((report) => [...report]));
}

/** The type of a metric is a number in the enumeration of the library's types, and a word in what it reports. */
function isCounted(type: unknown): boolean {
  return type === 'counter' || type === 'histogram';
}
