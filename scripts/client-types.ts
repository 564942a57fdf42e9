import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';

/**
 * Writes what the client knows of openapi.json: client/src/types.gen.ts, and client/src/operations.gen.ts, a table of the
 * operations. `npm run contract` runs it. Another folder may be named, for the test of freshness.
 * The client is of the same version as the service, so its types have the words of this version (src/http/open-enum.ts).
 */
const [target = new URL('../client/src', import.meta.url).pathname] = process.argv.slice(2);
const DOCUMENT = new URL('../openapi.json', import.meta.url);
const HEAD = '// Generated from openapi.json by `npm run contract`.\n\n';

interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters?: readonly { readonly in?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: object };
}

const document = await readFile(DOCUMENT, 'utf8');
const folder = await mkdtemp(join(tmpdir(), 'stoa-types-'));
try {
  await createClient({
    input: JSON.parse(document.replaceAll('"x-extensible-enum":', '"enum":')),
    output: { path: folder, entryFile: false },
    plugins: ['@hey-api/typescript'],
    logs: { level: 'silent', file: false },
  });
  await writeFile(join(target, 'types.gen.ts'), await readFile(join(folder, 'types.gen.ts')));
} finally {
  await rm(folder, { recursive: true });
}
const { paths }: { paths: Record<string, Record<string, Operation>> } = JSON.parse(document);
const all = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);
await writeFile(join(target, 'operations.gen.ts'), `${HEAD}${types()}\n${table()}`);

/** `open` marks an operation that takes no token, and `keyed` one that takes an Idempotency-Key. */
function table(): string {
  const lines = all.map(({ method, path, operation }) => {
    const media = Object.keys(operation.requestBody?.content ?? {}).join();
    const expected = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    if (media !== '' && media !== expected)
      throw new Error(`${operation.operationId} takes ${media}, which the client does not send.`);
    const isKeyed = operation.parameters?.some(({ name }) => name?.toLowerCase() === 'idempotency-key');
    const marks = `${operation.security?.length === 0 ? ' open' : ''}${isKeyed ? ' keyed' : ''}`;
    return `  ${operation.operationId}: '${method} ${path}${marks}',\n`;
  });
  return `/** Method and path of each operation; \`open\` marks one that takes no token, \`keyed\` one that takes a key. */\nexport const operations = {\n${lines.join('')}} as const;\n`;
}

function types(): string {
  const names = all.map(({ operation }) => operation.operationId);
  const lines = names.map((name) => {
    const type = `types.${name[0]?.toUpperCase()}${name.slice(1)}`;
    return `  ${name}: { input: ${type}Data; answers: ${type}Responses; failures: ${type}Errors };\n`;
  });
  const head = '/** What each operation takes and answers. */\nexport interface Operations {\n';
  return `import type * as types from './types.gen.ts';\n\n${head}${lines.join('')}}\n`;
}
