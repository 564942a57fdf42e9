import manifest from '../package.json' with { type: 'json' };
import { INSTALLATION } from './domain/installation.ts';

export const VERSION: string = manifest.version;

/** For people who report a fault, such as "0.2.0 (commit 43887db00c6f)". */
export const VERSION_AND_COMMIT = `${VERSION} (commit ${INSTALLATION.commit})`;
