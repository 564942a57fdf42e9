// Needs: processes.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { build, type Plugin } from 'esbuild';

/** What only HTTP, tokens and mail need. */
const FOREIGN = /\/node_modules\/(fastify|@fastify|jose|typebox|ajv|pino|nodemailer)\/|src\/http\//;

it('The threads of the database load no HTTP, no token library and no mail library', async () => {
  for (const thread of ['writer-thread', 'reader-thread', 'derived-thread', 'checkpoint-thread']) {
    const entryPoints = ['src/operations.ts', `src/store/sqlite/${thread}.ts`];
    // What HTTP needs of a feature is loaded by other ways, which no thread goes.
    const noHttp: Plugin = {
      name: 'no-http',
      setup: ({ onResolve }) => onResolve({ filter: /\/(feature|routes)\.ts$/ }, () => ({ external: true })),
    };
    const loaded = Object.values(await outputsOf(entryPoints, [noHttp])).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
    );
    assert.ok(loaded.some(([path]) => path.endsWith('src/content/create.ts')));
    assert.deepEqual(
      loaded.map(([path]) => path).filter((path) => FOREIGN.test(`/${path}`)),
      [],
      thread,
    );
  }
});

/** Libraries that a start does not load, and the file of ours whose import does, when it is needed. */
const LATER = {
  'node_modules/nodemailer/': 'src/services/mail/send.ts',
  'node_modules/@opentelemetry/sdk-trace/': 'src/app.ts',
};

it('A start loads no mail library, which the first mail does, and no library of traces unless they are set', async () => {
  const outputs = Object.entries(await outputsOf(['src/main.ts']));
  const has = (inputs: object, part: string) => Object.keys(inputs).some((path) => path.includes(part));
  for (const [folder, importer] of Object.entries(LATER)) {
    const [library = ''] = outputs.find(([, { inputs }]) => has(inputs, folder)) ?? [];
    assert.notEqual(library, '');
    const importers = outputs.filter(([, { imports }]) => imports.some(({ path }) => path === library));
    assert.deepEqual(
      importers.flatMap(([, { imports }]) =>
        imports.filter(({ path }) => path === library).map(({ kind }) => kind),
      ),
      ['dynamic-import'],
    );
    for (const [, { inputs }] of importers) assert.ok(has(inputs, importer));
  }
});

/** The files that a bundle of these has, with what is in each. */
async function outputsOf(entryPoints: string[], plugins: Plugin[] = []) {
  const { metafile } = await build({
    entryPoints,
    plugins,
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    outdir: 'out',
    external: ['@node-rs/argon2', 'pg-native'],
    logLevel: 'silent',
  });
  return metafile.outputs;
}
