import { readSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * `startCommand` loads this into a command, which then halts itself at a step: however busy the machine is, a signal
 * that comes after that finds the command there. It halts as soon as it says that it begins the step, or so many
 * milliseconds later.
 */
const asked = new URL(import.meta.url).searchParams;
const [step, later] = [asked.get('step') ?? '', Number(asked.get('later'))];
/** The pipe to the test. */
const TEST = 3;
let isReached = false;

function halt(): void {
  writeSync(TEST, '.');
  // Comes back when the test lets the command go on.
  readSync(TEST, new Uint8Array(1));
}

function look(text: unknown): void {
  if (isReached || !String(text).includes(step)) return;
  isReached = true;
  if (later > 0) setTimeout(halt, later);
  else halt();
}

if (isMainThread)
  process.stderr.write = new Proxy(process.stderr.write, {
    apply: (write, stderr, args) => {
      const hasRoom: boolean = Reflect.apply(write, stderr, args);
      look(args[0]);
      return hasRoom;
    },
  });
