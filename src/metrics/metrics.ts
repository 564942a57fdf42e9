import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Reading } from '../domain/metrics.ts';
import type { Measured } from './measured.ts';
import { textOf } from './text.ts';

/** Gauges of the library whose names say that they are counters, which the linter of Prometheus refuses. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

export interface Sources {
  /** Figures that are in memory, read each time. */
  readonly readings: () => readonly Reading[];
  /** Figures that the database has to be asked for. */
  readonly measured: Measured;
}

/**
 * The metrics of this process. The parts of the service count for themselves, in plain numbers, so that a request pays for
 * no library. What Node.js knows of itself comes from prom-client.
 */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #ofNode = new Registry();
  readonly #sources: Sources;
  #making: Promise<string> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
    collectDefaultMetrics({ register: this.#ofNode });
    for (const name of MISNAMED) this.#ofNode.removeSingleMetric(name);
  }

  /** In the text format of Prometheus. All who ask at the same time get the same text. */
  text(): Promise<string> {
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    return this.#making;
  }

  async #make(): Promise<string> {
    const measured = await this.#sources.measured.readings();
    // The library writes "Nan", which the format does not have, for the delay of a loop that was not measured yet.
    const ofNode = (await this.#ofNode.metrics()).replaceAll(/ Nan$/gm, ' NaN');
    return `${textOf([...this.#sources.readings(), ...measured])}\n${ofNode}`;
  }
}
