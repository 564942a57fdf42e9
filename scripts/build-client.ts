import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Writes client/dist, or the named folder: one file for each entry of @stoa/client, and its types. */
const path = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

const [target = path('client/dist')] = process.argv.slice(2);

rmSync(target, { recursive: true, force: true });
await build({
  entryPoints: [path('client/src/index.ts'), path('client/src/live.ts')],
  outdir: target,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  logLevel: 'warning',
});
const { status, error } = spawnSync(
  path('node_modules/.bin/tsc'),
  ['--project', path('client/tsconfig.json'), '--outDir', target],
  { stdio: 'inherit' },
);
// After `npm ci --omit=dev` there is no compiler.
if (error) throw error;
process.exitCode = status ?? 1;
