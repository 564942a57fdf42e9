import { fork } from 'node:child_process';
import { once } from 'node:events';
import { PASSWORD } from '../client.ts';
import type { Target } from './target.ts';

const MODULE = new URL('./probe-process.ts', import.meta.url).pathname;

export interface ProbeOrders {
  readonly port: number;
  readonly item: number;
  readonly username: string;
  readonly password: string;
}

/** What the honest user met: milliseconds of each wait, and each answer that was not 200. */
export interface Probed {
  readonly waits: { readonly livez: number[]; readonly read: number[]; readonly login: number[] };
  readonly refused: string[];
}

/** Watches what the honest user meets, from another source than the attackers, while the work is done. */
export async function probeDuring(
  { url, honest, itemOfHonest }: Target,
  work: () => Promise<unknown>,
): Promise<Probed> {
  const child = fork(MODULE, { execArgv: [] });
  try {
    const port = Number(new URL(url).port);
    child.send({
      port,
      item: itemOfHonest,
      username: honest.username,
      password: PASSWORD,
    } satisfies ProbeOrders);
    await work();
    const told = once(child, 'message');
    child.send('stop');
    const [probed] = await told;
    return probed as Probed;
  } finally {
    child.kill();
  }
}
