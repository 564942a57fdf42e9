import { copyFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { build } from 'esbuild';

const FOLDER = new URL('../../node_modules/.cache/stoa/bundled/', import.meta.url);
const TABLE = 'confusables.json';

/** Writes a script of the tests and all that it imports into one file, which starts in half of the time. Returns its path. */
export async function bundled(script: URL): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [script.pathname],
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['@node-rs/argon2', 'pg-native'],
    // Libraries in CommonJS call `require` for modules of the runtime.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    write: false,
  });
  await mkdir(FOLDER, { recursive: true });
  // The name stays the same, so that a later run finds what this one has compiled.
  const made = new URL(`${basename(script.pathname, '.ts')}.mjs`, FOLDER).pathname;
  await copyFile(new URL(`../../src/domain/${TABLE}`, import.meta.url), new URL(TABLE, FOLDER));
  // Two test runs may come here at once; each puts a whole file there.
  await writeFile(`${made}.${process.pid}`, outputFiles[0]?.text ?? '');
  await rename(`${made}.${process.pid}`, made);
  return made;
}
