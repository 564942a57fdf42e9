import type { MoveListener } from '../transfer/backlog.ts';

const WIDTH = 30;
const REDRAW_MS = 100;

/** Shows the progress of each step: a bar on a terminal, and one line for each step elsewhere. */
export class ProgressBar implements MoveListener {
  readonly #output: NodeJS.WriteStream;
  #step = '';
  #total = 0;
  #done = 0;
  #drawnAt = 0;

  constructor(output: NodeJS.WriteStream) {
    this.#output = output;
  }

  /** A new step begins a new line. The same step with another total continues its line. */
  begin(step: string, total: number): void {
    const isNew = step !== this.#step;
    if (isNew) this.end();
    this.#step = step;
    this.#total = total;
    if (!isNew) return;
    this.#done = 0;
    if (this.#output.isTTY) this.#draw();
    else this.#output.write(`${step}${total > 0 ? ` (${total})` : ''}\n`);
  }

  reach(done: number): void {
    this.#done = done;
    if (this.#output.isTTY && performance.now() - this.#drawnAt > REDRAW_MS) this.#draw();
  }

  /** Hides the bar, so that other output can have its line. The next progress shows the bar again. */
  hide(): void {
    if (this.#step !== '' && this.#output.isTTY) this.#output.write('\r\x1b[K');
  }

  /** Ends the line, even if its step is not complete, so that other output begins on a new line. */
  end(): void {
    if (this.#step === '' || !this.#output.isTTY) return;
    this.#draw();
    this.#output.write('\n');
    this.#step = '';
  }

  #draw(): void {
    this.#drawnAt = performance.now();
    const part = this.#total === 0 ? 0 : Math.min(1, this.#done / this.#total);
    const filled = Math.floor(part * WIDTH);
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
    const percent = this.#total === 0 ? '     ' : `${String(Math.floor(part * 100)).padStart(3)} %`;
    this.#output.write(`\r${bar} ${percent}  ${this.#step}\x1b[K`);
  }
}
