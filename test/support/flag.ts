import { until } from './until.ts';

/** Shared by threads: 0, and 1 once it has been raised. */
export type Flag = Int32Array<SharedArrayBuffer>;

export function newFlag(): Flag {
  return new Int32Array(new SharedArrayBuffer(4));
}

export function raise(flag: Flag): void {
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
}

/** Resolves when somebody, in any thread, has raised it. */
export async function raised(flag: Flag): Promise<void> {
  await until(() => Atomics.load(flag, 0) !== 0, 'the flag is raised');
}
