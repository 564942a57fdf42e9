import { spawn } from 'node:child_process';
import manifest from '../package.json' with { type: 'json' };

/** Runs the scripts of package.json whose names begin with `check:`, all at once. Fails if one of them does. */
const names = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'));
const say = (text: string) => process.stdout.write(`${text}\n`);

say(`Checks: ${names.map((name) => name.slice('check:'.length)).join(', ')}; about 20 seconds on two cores.`);
const passed = await Promise.all(names.map(check));
if (passed.includes(false)) process.exitCode = 1;

/** Prints what the script printed once it has ended, because the lines of several would mix. Returns whether it passed. */
async function check(name: string): Promise<boolean> {
  const began = performance.now();
  const env = process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : process.env;
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'], env });
  const lines: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => lines.push(chunk));
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  process.stdout.write(Buffer.concat(lines));
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`${name} ${status === 0 ? 'passed' : 'FAILED'} after ${seconds} s`);
  return status === 0;
}
