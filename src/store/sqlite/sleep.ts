/** Stops this thread for so many milliseconds. For the opening of a file, which the thread does nothing beside. */
export function sleep(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}
