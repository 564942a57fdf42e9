import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Lifetime, TestEngine } from '../engines.ts';
import { memoryOf, restingMemory } from '../memory.ts';
import { until } from '../until.ts';
import type { Attack } from './attack.ts';
import { type Probed, probeDuring } from './probe.ts';
import { newTarget, type Target } from './target.ts';

/** Memory that is not given back after this long is told. */
const REST_MS = 2_000;
/** As `/proc/net/tcp` has it. */
const LISTENING = '0A';

/** What an attack did to the honest user and to the process. */
export interface Outcome {
  /** Of the worst waits of each round, the median; milliseconds, a sign-in without its usual time. */
  readonly livez: number;
  readonly read: number;
  readonly login: number;
  /** The worst wait for /livez before the attack: what the machine does beside it. */
  readonly usual: number;
  /** Answers to the honest user that were not 200. */
  readonly refused: readonly string[];
  /** Answers to the attackers. */
  readonly answers: ReadonlyMap<string, number>;
  /** Resident memory at its most, in bytes. */
  readonly peak: number;
  /** Resident memory at rest, and open connections, before and after. */
  readonly restBefore: number;
  readonly restAfter: number;
  readonly heldBefore: number;
  readonly heldAfter: number;
}

export interface Length {
  readonly rounds: number;
  readonly milliseconds: number;
}

/** Plays an attack against a new service, so often and so long. */
export async function play(
  t: Lifetime,
  engine: TestEngine,
  attack: Attack,
  { rounds, milliseconds }: Length,
): Promise<Outcome> {
  const target = await newTarget(t, engine);
  const { pid } = target.service.child;
  await attack.prepare?.(target);
  const isLong = rounds > 1;
  // Only the long form tells and holds times, so only it needs to know what they are without an attack.
  const usual = isLong ? await probeDuring(target, () => pause(milliseconds / 2)) : undefined;
  const usualLogin = median(usual?.waits.login ?? [0]);
  const rest = () => (isLong ? restingMemory(pid, REST_MS) : Promise.resolve(memoryOf(pid, 'VmRSS')));
  const [restBefore, heldBefore] = [await rest(), connectionsOf(target.url)];

  const probed: Probed[] = [];
  for (let round = 0; round < rounds; round++) {
    const stop = new AbortController();
    const played = attack.play(target, stop.signal);
    probed.push(await probeDuring(target, () => pause(milliseconds)));
    await untilAnswered(target, attack).finally(() => {
      stop.abort();
      target.leave();
    });
    await played;
  }
  const after = await probeDuring(target, () => pause(milliseconds / 4));
  const worst = (what: keyof Probed['waits']) => median(probed.map(({ waits }) => Math.max(...waits[what])));
  return {
    livez: worst('livez'),
    read: worst('read'),
    login: Math.max(worst('login') - usualLogin, 0),
    usual: Math.max(...(usual?.waits.livez ?? [0])),
    refused: [...probed, after].flatMap(({ refused }) => refused),
    answers: target.answers,
    peak: memoryOf(pid, 'VmHWM'),
    restBefore,
    restAfter: await rest(),
    heldBefore,
    heldAfter: await settledConnections(target.url, heldBefore),
  };
}

/** On a busy machine the first answers may take longer than a round. */
async function untilAnswered({ answers }: Target, { needs }: Attack): Promise<void> {
  await until(
    () => needs.every((answer) => answers.has(answer)),
    `the attack is answered: ${needs.join(', ')}`,
  );
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** Connections of clients that the process holds. */
function connectionsOf(url: string): number {
  const port = `:${Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const held = rows.filter(
    ([, local = '', , state, , , , , , inode]) =>
      local.endsWith(port) && state !== LISTENING && inode !== '0',
  );
  return held.length;
}

/** A closed connection is gone a moment later. */
async function settledConnections(url: string, expected: number): Promise<number> {
  await until(() => connectionsOf(url) <= expected, 'the connections of the attack are gone');
  return connectionsOf(url);
}
