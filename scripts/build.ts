import { globSync, readFileSync } from 'node:fs';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { buildConsole } from './build-console.ts';
import { writeInstallation } from './installation.ts';
import { BUNDLED, packagesOf } from './packages.ts';
import { hashOfSources, isBuilt, STAMP } from './sources.ts';

/**
 * Bundles what `npm start` runs into dist/ (docs/decisions/running.md): the same code without types, in a few files.
 * The libraries have a thousand, which cost most of the time and memory of a start. If dist/ was made from these
 * sources, nothing is written, because a service may be running from it.
 */
const MAIN = ['src/main.ts', 'src/backup-process.ts', 'src/passwords/hashing/hashing-thread.ts'];
const THREADS_OF_STORE = [
  'src/operations.ts',
  'src/services/deltas/delta-thread.ts',
  'src/versions/difference-thread.ts',
  'src/versions/text-thread.ts',
  'src/search/highlights-thread.ts',
  'src/search/words-thread.ts',
  'src/services/rendering/rendering-thread.ts',
  'src/store/sqlite/checkpoint-thread.ts',
  'src/store/sqlite/derived-thread.ts',
  'src/store/sqlite/reader-thread.ts',
  'src/store/sqlite/writer-thread.ts',
];

const HTTP_OF_FEATURES = /\/(feature|routes)\.ts$/;

/**
 * A module that the source names by a URL (a thread, the list of operations) is an entry. All entries are in one folder
 * here.
 */
const urlsOfEntries: Plugin = {
  name: 'urls-of-entries',
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const contents = source.replace(/'\.\/([\w-]+)\.ts', import\.meta\.url/g, "'./$1.js', import.meta.url");
      return { contents, loader: 'ts' };
    });
  },
};

const LISTS_OF_FEATURES = /\/src\/[\w-]*features\.ts$/;
const IMPORT_OF_FEATURE = /await import\('([^']+)'\)/g;
const AT_ONCE = 'features-at-once';

/**
 * The lists of features load each one by itself, so that a thread or a command has none of them. The service needs all,
 * and each file costs a start: they are one module, which the first feature that is opened loads.
 */
const featuresAtOnce: Plugin = {
  name: AT_ONCE,
  setup({ onResolve, onLoad }) {
    onLoad({ filter: LISTS_OF_FEATURES }, async ({ path }) => {
      const contents = (await readFile(path, 'utf8')).replace(
        IMPORT_OF_FEATURE,
        `(await import('${AT_ONCE}'))['$1']`,
      );
      return { contents, loader: 'ts' };
    });
    onResolve({ filter: /^features-at-once$/ }, ({ path }) => ({ path, namespace: AT_ONCE }));
    onLoad({ filter: /^/, namespace: AT_ONCE }, () => {
      const lists = globSync('src/*features.ts').map((list) => readFileSync(list, 'utf8'));
      const features = lists.flatMap((list) => [...list.matchAll(IMPORT_OF_FEATURE)].map(([, path]) => path));
      const contents = features.map((path) => `export * as '${path}' from '${path}';`).join('\n');
      return { contents, loader: 'ts', resolveDir: 'src' };
    });
  },
};

/** No thread loads what features bring to HTTP, so the threads of the store have fewer and larger files without it. */
const withoutHttp: Plugin = {
  name: 'without-http',
  setup: ({ onResolve }) => onResolve({ filter: HTTP_OF_FEATURES }, ({ path }) => ({ path, external: true })),
};

/**
 * Modules of the runtime that cost a start much and serve nothing here.
 *
 * - `import` reads all exports of node:http, among them those that load the client of `fetch`: 2 MB of memory and 30 ms.
 *   `require` does not.
 * - Fastify loads node:http2 for servers that speak HTTP/2. The service speaks HTTP/1.1.
 */
const leanRuntime: Plugin = {
  name: 'lean-runtime',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:http2?$/ }, ({ path, kind, importer }) => {
      if (path === 'node:http2' && importer.endsWith('/fastify/lib/server.js'))
        return { path, namespace: 'none' };
      return path === 'node:http' && kind !== 'require-call' ? { path, namespace: 'required' } : undefined;
    });
    onLoad({ filter: /^/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = require('${path}');`,
    }));
    onLoad({ filter: /^/, namespace: 'none' }, () => ({ contents: 'module.exports = {};' }));
  },
};

if (isBuilt()) {
  await writeInstallation();
  process.exit();
}
// The hash is taken before the build, so that a change during the build makes the bundle outdated.
const sources = hashOfSources();
await rm('dist', { recursive: true, force: true });
const options = {
  outdir: 'dist',
  entryNames: '[name]',
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  // These load their binary from their own folder, or are not installed.
  external: ['@node-rs/argon2', 'pg-native'],
  // Libraries in CommonJS call `require` for modules of the runtime.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  logLevel: 'warning',
} satisfies BuildOptions;
const main = await build({
  ...options,
  entryPoints: MAIN,
  plugins: [featuresAtOnce, urlsOfEntries, leanRuntime],
});
const threads = await build({
  ...options,
  entryPoints: THREADS_OF_STORE,
  plugins: [withoutHttp, urlsOfEntries, leanRuntime],
});
const ofConsole = await buildConsole('dist/console');
await copyFile('src/domain/confusables.json', 'dist/confusables.json');
const inputs = [main.metafile, threads.metafile, ...ofConsole].flatMap(({ inputs }) => Object.keys(inputs));
await writeFile(BUNDLED, JSON.stringify(packagesOf(inputs)));
await writeInstallation();
await writeFile(STAMP, sources);
