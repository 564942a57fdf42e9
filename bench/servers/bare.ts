import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Sample } from './sample.ts';
import type { Server } from './stoa.ts';

const MODULE = new URL('./bare-process.ts', import.meta.url);

/** Starts a bare server that repeats the sample. */
export async function startBare(sample: Sample): Promise<Server> {
  const child = fork(MODULE, { env: { PATH: process.env.PATH } });
  const [port] = await once(child, 'message');
  child.send(sample);
  await once(child, 'message');
  return {
    port: Number(port),
    pid: child.pid ?? 0,
    stop: async () => {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
