import { spawnSync } from 'node:child_process';
import manifest from '../package.json' with { type: 'json' };

/** Runs the scripts of package.json whose names begin with `check:`, in their order, and stops at the first failure. */
const names = Object.keys(manifest.scripts).filter((name) => name.startsWith('check:'));
const say = (text: string) => process.stdout.write(`${text}\n`);

say(
  `Checks: ${names.map((name) => name.slice('check:'.length)).join(', ')}; about ten seconds on two cores.`,
);
for (const name of names) {
  const began = performance.now();
  say(`${name} ...`);
  const { status } = spawnSync('npm', ['run', '--silent', name], { stdio: 'inherit' });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`${name} ${status === 0 ? 'passed' : 'FAILED'} after ${seconds} s`);
  if (status !== 0) process.exit(1);
}
