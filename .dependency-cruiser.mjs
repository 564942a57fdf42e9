import { allExtensions } from 'dependency-cruiser';

// Without a parser for .ts the cruiser only warns, reads no file and passes: better to stop here.
if (!allExtensions.some(({ extension, available }) => extension === '.ts' && available)) {
  throw new Error(
    'dependency-cruiser needs TypeScript 6 as its parser: npm package "typescript" must be < 7',
  );
}

/** The rooms, one for each noun, and the other rooms that each may use: three at most. Lower rooms come first. */
const ROOMS = {
  sessions: [],
  accounts: ['sessions'],
  programs: ['accounts', 'sessions'],
  factors: ['accounts', 'sessions'],
  passwords: ['accounts', 'factors', 'sessions'],
  addresses: ['accounts', 'passwords', 'sessions'],
  invitations: ['accounts', 'sessions'],
  registrations: ['accounts', 'invitations', 'passwords'],
  setup: ['accounts', 'passwords', 'registrations'],
  console: [],
  'sign-in': ['factors', 'passwords', 'sessions'],
  content: ['accounts', 'sessions'],
  search: ['content'],
  lists: ['content', 'search'],
  slugs: ['content'],
  feeds: ['content', 'lists', 'slugs'],
  previews: ['content'],
  bulk: ['content', 'sessions'],
  versions: ['accounts', 'content', 'sessions'],
  drafts: ['accounts', 'content', 'sessions'],
  trash: ['accounts', 'content', 'sessions'],
  labels: ['accounts', 'content', 'sessions'],
  webhooks: ['accounts', 'sessions'],
  live: ['factors', 'sessions'],
  audit: ['sessions'],
  backups: ['accounts', 'sessions'],
  doctor: ['accounts', 'backups', 'search'],
  system: ['backups', 'doctor'],
};
const base = 'domain|http|store|schema|services|transfer|cli|settings|metrics|traces';
const rooms = `^src/(?!(?:${base})/)([^/]+)/`;

const arrows = Object.entries(ROOMS).map(([room, others]) => ({
  name: `arrows-of-${room}`,
  comment: 'A room that may use every other is no room: three others answer any question about it.',
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: rooms, pathNot: [room, ...others].map((each) => `^src/${each}/`) },
}));

/** What rooms and services rest on. */
const BASE = ['^src/domain/', '^src/http/', '^src/store/[^/]+$', '^src/services/', '^src/feature\\.ts$'];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...arrows,
    {
      name: 'every-folder-is-known',
      comment: 'A new folder is a room, and gets its line above.',
      severity: 'error',
      from: {},
      to: { path: rooms, pathNot: Object.keys(ROOMS).map((room) => `^src/${room}/`) },
    },
    {
      name: 'client-alone',
      comment: 'The client is a package of its own, without dependencies, and runs in browsers.',
      severity: 'error',
      from: { path: '^client/' },
      to: { pathNot: '^client/src/' },
    },
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
      from: { pathNot: ['^src/(app|parts|open-[a-z]+|migrate-store|config)\\.ts$', '^src/(cli|settings)/'] },
      to: { path: '^src/(config\\.ts$|settings/)' },
    },
    {
      name: 'rooms-on-the-base',
      comment:
        "A room rests on domain, http, services and the store's face, so that either database can stand behind it.",
      severity: 'error',
      from: { path: rooms },
      to: {
        pathNot: [...BASE, rooms, '^node_modules/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'services-under-the-rooms',
      comment: 'What happens inside the writes of several rooms knows none of them.',
      severity: 'error',
      from: { path: '^src/services/' },
      to: {
        pathNot: [...BASE, '^node_modules/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'feature-http-at-the-edge',
      comment: 'HTTP stays in the files that face it; the rest of a feature runs without a server.',
      severity: 'error',
      from: {
        path: '^src/[^/]+/',
        pathNot: ['^src/(http|cli)/', '(/|-)contract\\.ts$', '/feature\\.ts$', 'routes?\\.ts$'],
      },
      to: { path: '^src/http/' },
    },
    {
      name: 'routes-at-the-edge',
      comment:
        'Nothing rests on a route but the lists of features and of a room, so that a verb runs without it.',
      severity: 'error',
      from: { pathNot: 'features?\\.ts$' },
      to: { path: 'routes?\\.ts$' },
    },
    {
      name: 'schema-and-transfer-on-the-store',
      comment: 'The schema and moves serve every room; what they need of one comes in the list of features.',
      severity: 'error',
      from: { path: '^src/(schema|transfer)/', pathNot: '^src/transfer/(accounts|content)/' },
      to: {
        pathNot: ['^src/domain/', '^src/store/[^/]+$', '^src/$1/', '^node_modules/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'metrics-and-traces-on-the-domain',
      comment: 'Each part counts and times for itself, so metrics and traces need to know none of them.',
      severity: 'error',
      from: { path: '^src/(metrics|traces)/' },
      to: { pathNot: ['^src/domain/', '^src/$1/', '^node_modules/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'accounts-in-files',
      comment: 'The import and export of accounts follow the rules of accounts and passwords.',
      severity: 'error',
      from: { path: '^src/transfer/accounts/' },
      to: { path: rooms, pathNot: '^src/(accounts|passwords)/' },
    },
    {
      name: 'content-in-files',
      comment: 'The import and export of content follow the rules of content and drafts, and name accounts.',
      severity: 'error',
      from: { path: '^src/transfer/content/' },
      to: { path: rooms, pathNot: '^src/(accounts|content|drafts)/' },
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
