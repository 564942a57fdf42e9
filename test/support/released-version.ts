import { readdirSync } from 'node:fs';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { known as first } from './earlier-version.ts';
import { emptySettings, type Lifetime, type TestEngine, temporaryFolder } from './engines.ts';
import { execOn } from './place.ts';
import type { StartCommand } from './process.ts';

/** All released versions, oldest first. */
export const VERSIONS = readdirSync(new URL('../fixtures/', import.meta.url))
  .filter((name) => /^\d/.test(name))
  .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));

interface Known {
  readonly refreshToken: string;
  /** The `data` of answers to the admin `root`, by path. */
  readonly answers: Readonly<Record<string, object>>;
}

/** The settings of a copy of the database that a released version left behind, and what its clients know. */
export async function releasedDatabase(
  t: Lifetime,
  engine: TestEngine,
  version: string,
): Promise<{ settings: Record<string, string>; known: Known }> {
  const file = (name: string) => readFile(new URL(`../fixtures/${version}/${name}`, import.meta.url));
  const settings = { ...(await emptySettings(t, engine)), SEALING_KEY: first.sealingKey };
  if ('DATA_DIR' in settings)
    await writeFile(join(String(settings.DATA_DIR), 'stoa.db'), gunzipSync(await file('stoa.db.gz')), {
      mode: 0o600,
    });
  else await execOn(settings, gunzipSync(await file('stoa.sql.gz')).toString());
  return { settings, known: JSON.parse(String(await file('known.json')))[engine.name] };
}

/** The command that starts the service of a released version, which `scripts/release-program.ts` has kept. */
export async function releasedService(t: Lifetime, version: string): Promise<StartCommand> {
  const kept = await readFile(new URL(`../fixtures/${version}/program.json.br`, import.meta.url));
  const files: Readonly<Record<string, string>> = JSON.parse(String(brotliDecompressSync(kept)));
  const folder = await temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  // For the libraries that load a binary from their own folder.
  await symlink(new URL('../../node_modules', import.meta.url), join(folder, 'node_modules'));
  return { program: process.execPath, args: [join(folder, 'dist/main.js'), 'serve'] };
}
