import { allExtensions } from 'dependency-cruiser';

// Without a parser for .ts the cruiser only warns, reads no file and passes: better to stop here.
if (!allExtensions.some(({ extension, available }) => extension === '.ts' && available)) {
  throw new Error(
    'dependency-cruiser needs TypeScript 6 as its parser: npm package "typescript" must be < 7',
  );
}

/** Every folder is a feature, and under the rules for one, unless it is named here. */
const base = 'domain|http|store|schema|accounts|services|move|cli|settings';
const features = `^src/(?!(?:${base})/)([^/]+)/`;

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-file-cycles',
      comment: 'Files in a cycle can only be read, tested and loaded together.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment: 'Folders are the parts of the system; a cycle welds two of them, even if no file cycle shows.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-alone',
      comment: 'The rules of the domain hold whatever the framework, the store or the transport.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/domain/', dependencyTypesNot: ['core'] },
    },
    {
      name: 'http-and-store-on-domain-only',
      comment: 'http and store serve every feature, so they know none of them, nor each other.',
      severity: 'error',
      from: { path: '^src/(http|store)/' },
      to: { pathNot: ['^src/domain/', '^src/$1/', '^node_modules/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'config-at-the-top',
      comment: 'Only what assembles the program sees the configuration; the rest is handed plain values.',
      severity: 'error',
      from: { pathNot: ['^src/(app|feature|open-store|config)\\.ts$', '^src/(cli|settings)/'] },
      to: { path: '^src/(config\\.ts$|settings/)' },
    },
    {
      name: 'feature-on-base-only',
      comment:
        "A feature rests on domain, http and the store's face, so that either database can stand behind it.",
      severity: 'error',
      from: { path: features },
      to: {
        pathNot: [
          '^src/domain/',
          '^src/http/',
          '^src/store/[^/]+$',
          '^src/accounts/',
          '^src/services/',
          '^src/feature\\.ts$',
          features,
          '^node_modules/',
        ],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'shared-rules-under-the-features',
      comment:
        'What several features share (rules about accounts, what happens beside a write) knows none of them, and no HTTP.',
      severity: 'error',
      from: { path: '^src/(?:accounts|services)/' },
      to: {
        pathNot: ['^src/domain/', '^src/store/[^/]+$', '^src/(?:accounts|services)/', '^node_modules/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'feature-http-at-the-edge',
      comment: 'HTTP stays in the files that face it; the rest of a feature runs without a server.',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: ['^src/(http|cli)/', '(/|-)contract\\.ts$', '/feature\\.ts$', '\\.route\\.ts$'],
      },
      to: { path: '^src/http/' },
    },
    {
      name: 'routes-at-the-edge',
      comment: 'Nothing rests on a route but the list of its feature, so that a verb runs without it.',
      severity: 'error',
      from: { pathNot: '/feature\\.ts$' },
      to: { path: '\\.route\\.ts$' },
    },
    {
      name: 'feature-through-contract',
      comment: "A feature's contract.ts is its only promise to other features; the rest may change freely.",
      severity: 'error',
      from: { path: features },
      to: { path: features, pathNot: ['^src/$1/', '^src/[^/]+/contract\\.ts$'] },
    },
    {
      name: 'schema-and-move-on-the-store',
      comment:
        'The schema and moves serve every feature; what they need of one comes in the list of features.',
      severity: 'error',
      from: { path: '^src/(schema|move)/' },
      to: {
        pathNot: ['^src/domain/', '^src/store/[^/]+$', '^src/$1/', '^node_modules/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'databases-apart',
      comment: 'Each database implementation can be run, changed or dropped without the other.',
      severity: 'error',
      from: { path: '^src/store/(sqlite|postgres)/' },
      to: { path: '^src/store/(sqlite|postgres)/', pathNot: '^src/store/$1/' },
    },
    {
      name: 'store-face-knows-no-engine',
      comment: 'What features see of the store is the same, whichever engine stands behind it.',
      severity: 'error',
      from: { path: '^src/store/[^/]+\\.ts$' },
      to: { path: '^src/store/(sqlite|postgres)/' },
    },
    {
      name: 'pipeline-through-its-face',
      comment:
        'What we do with the protocol of PostgreSQL is our own risk: one file says what others may use.',
      severity: 'error',
      from: { pathNot: '^src/store/postgres/pipeline/' },
      to: { path: '^src/store/postgres/pipeline/', pathNot: '^src/store/postgres/pipeline/index\\.ts$' },
    },
    {
      name: 'pipeline-alone',
      comment:
        'The protocol knows nothing of the store that uses it, and could be taken out with its folder.',
      severity: 'error',
      from: { path: '^src/store/postgres/pipeline/' },
      to: {
        pathNot: ['^src/domain/', '^src/store/postgres/pipeline/', '^node_modules/'],
        dependencyTypesNot: ['core'],
      },
    },
  ],
  options: {
    doNotFollow: { path: '^node_modules/' },
    // count `import type` and every other import that type stripping takes away
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'types', 'default'],
    },
  },
};
