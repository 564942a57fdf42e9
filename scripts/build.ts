import { readFile, rm, writeFile } from 'node:fs/promises';
import { build, type Plugin } from 'esbuild';
import { hashOfSources, isBuilt, STAMP } from './sources.ts';

/**
 * Bundles what `npm start` runs into dist/ (decisions 0017): the same code, without types, and in a few files instead
 * of the thousand of the libraries, which cost most of the time and memory of a start. A dist/ that was made of these
 * sources stays as it is, also because a service may be running from it.
 */
const ENTRIES = [
  'src/main.ts',
  'src/operations.ts',
  'src/auth/hashing/thread.ts',
  'src/content/words-thread.ts',
  'src/store/sqlite/checkpoint-thread.ts',
  'src/store/sqlite/derived-thread.ts',
  'src/store/sqlite/reader-thread.ts',
  'src/store/sqlite/writer-thread.ts',
];

/**
 * A module that the source names by a URL (a thread, the list of operations) is an entry, and all entries are in
 * one folder here.
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

if (isBuilt()) process.exit();
// The hash is taken before the build, so that a change during the build makes the bundle outdated.
const sources = hashOfSources();
await rm('dist', { recursive: true, force: true });
await build({
  entryPoints: ENTRIES,
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
  // Loads its binary from its own folder, or is not installed.
  external: ['@node-rs/argon2', 'pg-native'],
  // The libraries in CommonJS call `require` for the runtime's own modules.
  banner: {
    js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
  },
  plugins: [urlsOfEntries],
  logLevel: 'warning',
});
await writeFile(STAMP, sources);
