import childProcess from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';

/** Loaded before each file of the fast run (scripts/testing/steps.ts): nothing in it can start a process. */
const STARTERS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];

function refuse(): never {
  throw new Error('A test that starts a process belongs in test/process.');
}

Object.assign(childProcess, Object.fromEntries(STARTERS.map((name) => [name, refuse])));
syncBuiltinESMExports();
