import { existsSync, readFileSync } from 'node:fs';
import { type Row, verdict } from '../row.ts';

const MOST = 30;
const ROOT = new URL('../../', import.meta.url);
/** Install scripts that build native code. */
const COMPILES = /node-gyp|node-pre-gyp|prebuild|cmake|make\b|cargo/;

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly scripts?: Record<string, string>;
}

function readJson<Form>(path: string): Form {
  return JSON.parse(readFileSync(new URL(path, ROOT), 'utf8')) as Form;
}

export const dependencies: Row = {
  name: 'dependencies',
  needs: () => [],
  async run() {
    const direct = Object.keys(readJson<Manifest>('package.json').dependencies ?? {});
    const { packages } = readJson<{ packages: Record<string, Locked> }>('package-lock.json');
    const runtime = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev);
    const compiling = runtime.filter(([path, locked]) => compiles(path, locked)).map(([path]) => path);
    return {
      lines: [
        {
          work: 'direct dependencies at run time',
          promise: `<= ${MOST}`,
          measured: String(direct.length),
          detail: `${runtime.length} with those of other platforms and their own`,
          verdict: verdict(direct.length <= MOST),
        },
        {
          work: 'dependencies that compile at install',
          promise: 'none',
          measured: String(compiling.length),
          detail: compiling.join(', ') || 'by their install scripts and binding.gyp',
          verdict: verdict(compiling.length === 0),
        },
      ],
    };
  },
};

/** npm compiles a package that has a binding.gyp, or whose install scripts do so themselves. */
function compiles(path: string, { hasInstallScript }: Locked): boolean {
  if (!existsSync(new URL(`${path}/package.json`, ROOT))) return false;
  if (existsSync(new URL(`${path}/binding.gyp`, ROOT))) return true;
  if (!hasInstallScript) return false;
  const { scripts = {} } = readJson<Manifest>(`${path}/package.json`);
  return ['preinstall', 'install', 'postinstall'].some((name) => COMPILES.test(scripts[name] ?? ''));
}
