import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import manifest from '../package.json' with { type: 'json' };
import { isBuilt } from './sources.ts';

// Writes what a service of this version runs, without the console, into test/fixtures/<version>. It is run once, when the
// version is released, so that a test can run it next to later versions.

const ROOT = new URL('../', import.meta.url);
if (!isBuilt()) throw new Error('Run "npm run build" first.');

function filesIn(folder: string, name: RegExp): string[] {
  const paths = readdirSync(new URL(folder, ROOT)).map((each) => `${folder}/${each}`);
  return paths.filter((path) => name.test(path) && statSync(new URL(path, ROOT)).isFile());
}

const paths = [
  ...filesIn('dist', /\.js$|\/(confusables|installation)\.json$/),
  ...filesIn('mail', /\.(html|txt)$/),
  'openapi.json',
  'package.json',
];
const files = Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, ROOT), 'utf8')]));
const folder = new URL(`test/fixtures/${manifest.version}/`, ROOT);
mkdirSync(folder, { recursive: true });
writeFileSync(new URL('program.json.br', folder), brotliCompressSync(JSON.stringify(files)));
