import { setTimeout as pause } from 'node:timers/promises';
import { login } from '../../test/support/client.ts';
import { stoa } from '../../test/support/command.ts';
import { type ServiceProcess, startProcess } from '../../test/support/process.ts';
import { create } from './writers.ts';

/** The service indexes the words of a restored database first. */
const INDEXED_MS = 120_000;

interface Restored {
  readonly t: Parameters<typeof startProcess>[0];
  readonly settings: Record<string, string>;
  readonly username: string;
  readonly highestId: number;
}

/** Marks the restored database, starts a service on it, and returns a line for each thing that is not as it should be. */
export async function faultsOf({ t, settings, username, highestId }: Restored): Promise<string[]> {
  const marked = await stoa(['mark-restored'], { settings });
  if (marked.code !== 0) return [marked.stderr];
  const service = await startProcess(t, settings);
  const faults = [...(await doctorFinds(settings)), ...(await firstItemFault(service, username, highestId))];
  await service.stop('SIGTERM');
  return faults;
}

async function doctorFinds(settings: Record<string, string>): Promise<string[]> {
  const end = Date.now() + INDEXED_MS;
  for (;;) {
    const { stdout } = await stoa(['doctor', '--json'], { settings });
    // The service of a drill is not at the address of the settings.
    const wrong = stdout
      .split('\n')
      .filter((line) => /"state":"wrong"/.test(line) && !/"check":"service"/.test(line));
    if (wrong.length === 0 || Date.now() > end) return wrong;
    await pause(1_000);
  }
}

async function firstItemFault(
  { url }: ServiceProcess,
  username: string,
  highestId: number,
): Promise<string[]> {
  const { token } = await login(url, username);
  const id = await create(url, token, { title: 'after', content: 'all' });
  if (id === undefined) return ['No item can be created.'];
  return id > highestId ? [] : [`The id ${id} may have been given before: the highest was ${highestId}.`];
}
