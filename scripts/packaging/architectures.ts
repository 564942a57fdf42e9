/** The processors, as Node.js names them, for which there are archives. */
export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** The package that brings the Node.js of an architecture, as the lockfile has it. */
export function runtimeFor(architecture: Architecture): string {
  return `node_modules/node-linux-${architecture}`;
}

/** The package with the binary of argon2 of an architecture, as the lockfile has it. */
export function argon2For(architecture: Architecture): string {
  return `node_modules/@node-rs/argon2-linux-${architecture}-gnu`;
}

/** Programs that remove symbols from a binary of an architecture. `strip` of GNU often knows only its own. */
export function strippersFor(architecture: Architecture): string[] {
  const gnu = { x64: 'x86_64-linux-gnu-strip', arm64: 'aarch64-linux-gnu-strip' }[architecture];
  return [...(architecture === process.arch ? ['strip'] : []), gnu, 'llvm-strip'];
}
