import { readFileSync } from 'node:fs';
import { hasCode } from './reason.ts';

/** A build writes this file beside its code (scripts/build.ts), and `npm run package` one of its own. */
const FILE = new URL('./installation.json', import.meta.url);

interface Installation {
  /** The commit of git that was built, with "-dirty" after it where files differed; "unknown" outside of git. */
  readonly commit: string;
  /** True in the archive of a release, which has `stoa` and no npm. */
  readonly packaged: boolean;
}

export const INSTALLATION: Installation = read();

/** How the operator types this command of `stoa` here. */
export function typed(command: string): string {
  return INSTALLATION.packaged ? `stoa ${command}` : `npm run stoa -- ${command}`;
}

/** How the operator starts the service here. */
export function typedStart(): string {
  return INSTALLATION.packaged ? 'stoa serve' : 'npm start';
}

/** Nothing is known where the source runs without a build. */
function read(): Installation {
  try {
    return JSON.parse(readFileSync(FILE, 'utf8'));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { commit: 'unknown', packaged: false };
    throw error;
  }
}
