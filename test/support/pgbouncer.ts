import { spawn } from 'node:child_process';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './cluster.ts';
import { run } from './command.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';
import { accountOfServer } from './postgres-account.ts';

/** Debian has it in /usr/sbin, which is not always in PATH. */
const PROGRAM = '/usr/sbin/pgbouncer';

/** True where PgBouncer can be started, as Debian's package of that name brings it, in version 1.`minor` or newer. */
export async function hasPgBouncer(minor = 0): Promise<boolean> {
  const told = await run(PROGRAM, ['--version']).catch(() => undefined);
  const [, found] = /^PgBouncer 1\.(\d+)/.exec(told?.stdout ?? '') ?? [];
  return Number(found) >= minor;
}

/** Starts PgBouncer, with the settings that it has where none is given, and returns the URL of the database through it. */
export async function startPgBouncer(
  t: Lifetime,
  databaseUrl: string,
  mode: 'session' | 'transaction',
  settings: readonly string[] = [],
): Promise<string> {
  const account = accountOfServer();
  const folder = await temporaryFolder(t);
  if (account.uid !== undefined && account.gid !== undefined) await chown(folder, account.uid, account.gid);
  const url = new URL(databaseUrl);
  const { hostname, port, username, password } = url;
  url.port = String(await freePort());
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${url.port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    ...settings,
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  const child = spawn(PROGRAM, [file], { ...account, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stderr })) {
    said.push(line);
    if (!line.includes('process up')) continue;
    child.stderr.resume();
    return url.href;
  }
  throw new Error(`PgBouncer did not start:\n${said.join('\n')}`);
}
