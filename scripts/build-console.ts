import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/** A smaller file gains nothing. */
const LEAST_BYTES = 256;

const OPTIONS = {
  bundle: true,
  minify: true,
  metafile: true,
  entryNames: '[name]-[hash]',
  chunkNames: 'c-[hash]',
  target: 'es2022',
  logLevel: 'warning',
} satisfies BuildOptions;

/**
 * The editor knows no programming language. Its libraries import the packages for those, which are 11 KB of gzip, and call
 * one function of them: Backspace asks for the unit of indentation.
 */
const withoutLanguages: Plugin = {
  name: 'without-languages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(@codemirror\/language|@lezer\/\w+)$/ }, ({ path }) => ({
      path,
      namespace: 'none',
    }));
    onLoad({ filter: /^/, namespace: 'none' }, () => ({
      contents: 'module.exports = { getIndentUnit: () => 2 };',
    }));
  },
};

/**
 * Bundles the console into `folder`: the page, and its assets with hashed names, each compressed beside. The client is
 * bundled from its source. Returns what the bundles were made of.
 */
export async function buildConsole(folder: string): Promise<Metafile[]> {
  const outdir = join(folder, 'assets');
  await rm(folder, { recursive: true, force: true });
  await mkdir(outdir, { recursive: true });
  const modules = await build({
    ...OPTIONS,
    outdir,
    entryPoints: ['console/src/main.tsx', 'console/src/style/console.css', 'console/src/icon.svg'],
    loader: { '.svg': 'copy' },
    splitting: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    conditions: ['stoa-source'],
    plugins: [withoutLanguages],
  });
  const early = await build({ ...OPTIONS, outdir, entryPoints: ['console/src/early.ts'], format: 'iife' });
  await writeFile(join(folder, 'index.html'), pageOf(modules.metafile, early.metafile));
  for (const name of await readdir(outdir)) await compress(join(outdir, name));
  return [modules.metafile, early.metafile];
}

/** The page. Its base is relative: the service puts the depth of the path in (src/console/page.ts). */
function pageOf(modules: Metafile, early: Metafile): string {
  const outputs = Object.entries({ ...modules.outputs, ...early.outputs });
  const nameOf = (source: string) => {
    const [path] = outputs.find(([, { entryPoint }]) => entryPoint === source) ?? [];
    if (path === undefined) throw new Error(`${source} was not built.`);
    return basename(path);
  };
  const main = nameOf('console/src/main.tsx');
  const imported = outputs.find(([path]) => basename(path) === main)?.[1].imports ?? [];
  const preloads = imported
    .filter(({ kind }) => kind === 'import-statement')
    .map(({ path }) => `<link rel="modulepreload" href="assets/${basename(path)}">`);
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<base href="./">',
    '<title>Stoa</title>',
    `<link rel="icon" href="assets/${nameOf('console/src/icon.svg')}">`,
    `<link rel="stylesheet" href="assets/${nameOf('console/src/style/console.css')}">`,
    `<script src="assets/${nameOf('console/src/early.ts')}"></script>`,
    ...preloads,
    `<script type="module" src="assets/${main}"></script>`,
    '</head>',
    '<body>',
    '<div id="console"></div>',
    '<noscript>The console needs JavaScript.</noscript>',
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

async function compress(path: string): Promise<void> {
  const plain = await readFile(path);
  if (plain.length < LEAST_BYTES) return;
  await writeFile(`${path}.br`, await promisify(brotliCompress)(plain));
  await writeFile(`${path}.gz`, await promisify(gzip)(plain, { level: 9 }));
}
