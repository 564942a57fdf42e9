import { Registry } from 'prom-client';
import type { Reading } from '../domain/metrics.ts';
import type { Measured } from './measured.ts';
import { registryOfNode, textOfNode } from './of-node.ts';
import { textOf } from './text.ts';

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
  readonly #ofNode = registryOfNode();
  readonly #sources: Sources;
  #making: Promise<string> | undefined;

  constructor(sources: Sources) {
    this.#sources = sources;
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
    return `${textOf([...this.#sources.readings(), ...measured])}\n${await textOfNode(this.#ofNode)}`;
  }
}
