import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './command.ts';
import { type Lifetime, temporaryFolder } from './engines.ts';

const RUNNER = new URL('../../scripts/test.ts', import.meta.url).pathname;
const IMPORTS = "import { after, before, describe, it } from 'node:test';";
/** The first line of a file that shares no process. A process that files share loads the whole service. */
export const OWN_PROCESS = '// Needs: a process of its own.\n';
/** Longer than a run takes where the machine is busy. */
const LONG_MS = 20_000;

export interface TestRunOptions {
  readonly settings?: Record<string, string>;
  /** A test that takes longer is ended, and so is a process after its tests; LONG_MS unless told. */
  readonly limitMs?: number;
  /** True where the run is told the folder of the files, and not each of them. */
  readonly byFolder?: boolean;
}

/** Runs test files that have these texts, by their names, as `npm test` runs those of the project. */
export async function runTests(
  t: Lifetime,
  texts: Record<string, string>,
  { settings = {}, limitMs = LONG_MS, byFolder = false }: TestRunOptions = {},
): Promise<{ readonly code: number | null; readonly stdout: string }> {
  const folder = await temporaryFolder(t);
  const files = Object.keys(texts).map((name) => join(folder, `${name}.test.mts`));
  for (const [index, text] of Object.values(texts).entries())
    await writeFile(files[index] ?? '', withImports(text));
  const { code, stdout } = await run(
    process.execPath,
    [RUNNER, `--test-timeout=${limitMs}`, ...(byFolder ? [folder] : files)],
    {
      // No server is needed, so none is started.
      settings: { STOA_TEST_POSTGRES: 'none', STOA_TEST_PATIENCE: `${limitMs}`, ...settings },
    },
  );
  return { code, stdout };
}

/** The imports are in the first line, or in the second where the first says what the file needs. */
function withImports(text: string): string {
  const [, needs = '', rest = ''] = /^(\/\/ Needs: [^\n]*\n)?(.*)$/s.exec(text) ?? [];
  return `${needs}${IMPORTS}\n${rest}`;
}

/** How many failures a run has counted. */
export function failuresIn(stdout: string): number {
  return [...stdout.matchAll(/^ℹ (?:fail|cancelled) (\d+)$/gm)].reduce(
    (sum, [, count]) => sum + Number(count),
    0,
  );
}
