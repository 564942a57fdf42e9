import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { explain } from '../../src/cli/explain.ts';
import { type Config, readConfig } from '../../src/config.ts';
import type { CommandResult } from './command.ts';
import { fewAtOnce } from './few-at-once.ts';
import { withSealingKey } from './sealing.ts';

/** What the command under way has written. Whatever else the process writes meanwhile has no such texts. */
const texts = new AsyncLocalStorage<{ stdout: string; stderr: string }>();

/** A command sets the exit code of its process, so there is one at a time. */
const inTurn = fewAtOnce(1);

/**
 * Runs the function of a command of `stoa` in this process, for a fraction of what a process takes. Its end is told as
 * `stoa` tells it. For tests that are not about a process: about its arguments, its signals, or others beside it. A command
 * that reads its standard input, which is no terminal, reads `input`.
 */
export function commandHere(
  settings: Record<string, string>,
  command: (config: Config) => Promise<unknown>,
  input = '',
): Promise<CommandResult> {
  return inTurn(() => run(settings, command, input));
}

async function run(
  settings: Record<string, string>,
  command: (config: Config) => Promise<unknown>,
  input: string,
): Promise<CommandResult> {
  const written = { stdout: '', stderr: '' };
  const { exitCode } = process;
  const giveBack = [collect('stdout'), collect('stderr'), feed(input)];
  process.exitCode = undefined;
  try {
    await texts.run(written, async () => command(readConfig(withSealingKey(settings))));
    return { code: Number(process.exitCode ?? 0), ...written };
  } catch (error) {
    return { code: 1, stdout: written.stdout, stderr: `${written.stderr}${explain(error)}\n` };
  } finally {
    process.exitCode = exitCode;
    for (const each of giveBack) each();
  }
}

/** Makes this the standard input. Returns what ends that. */
function feed(input: string): () => void {
  const own = Object.getOwnPropertyDescriptor(process, 'stdin') ?? {};
  Object.defineProperty(process, 'stdin', { ...own, get: () => Readable.from([input]) });
  return () => {
    Object.defineProperty(process, 'stdin', own);
  };
}

/** Collects what the command writes there. Returns what ends that. */
function collect(name: 'stdout' | 'stderr'): () => void {
  const output = process[name];
  const { write } = output;
  const own = Object.hasOwn(output, 'write');
  output.write = new Proxy(write, {
    apply: (_, __, args: [string | Uint8Array, ...unknown[]]) => {
      const written = texts.getStore();
      if (!written) return Reflect.apply(write, output, args);
      written[name] += Buffer.from(args[0] as string).toString();
      const done = args.at(-1);
      if (typeof done === 'function') process.nextTick(() => Reflect.apply(done, undefined, []));
      return true;
    },
  });
  return () => {
    if (own) output.write = write;
    else Reflect.deleteProperty(output, 'write');
  };
}
