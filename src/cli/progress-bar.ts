import type { MoveListener } from '../move/move.ts';

const WIDTH = 30;
const REDRAW_MS = 100;

/** Shows how far each step is: a bar on a terminal, a line per step elsewhere. */
export class ProgressBar implements MoveListener {
  readonly #output: NodeJS.WriteStream;
  #step = '';
  #total = 0;
  #done = 0;
  #drawnAt = 0;

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  begin(step: string, total: number): void {
    this.#step = step;
    this.#total = total;
    this.#done = 0;
    if (this.#output.isTTY) this.#draw();
    else this.#output.write(`${step}${total > 0 ? ` (${total} rows)` : ''}\n`);
  }

  advance(rows: number): void {
    this.#done += rows;
    const isDue = performance.now() - this.#drawnAt > REDRAW_MS || this.#done >= this.#total;
    if (this.#output.isTTY && isDue) this.#draw();
  }

  #draw(): void {
    this.#drawnAt = performance.now();
    const part = this.#total === 0 ? 1 : Math.min(1, this.#done / this.#total);
    const filled = Math.round(part * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    const end = part === 1 ? '\n' : '';
    this.#output.write(`\r${bar} ${(part * 100).toFixed(0).padStart(3)} %  ${this.#step}\x1b[K${end}`);
  }
}
