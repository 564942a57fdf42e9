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

/** What clients know of a service that was killed in the middle of work: ids of items, and what it has answered. */
export interface KnownOfInterrupted {
  /** Milliseconds since 1970. */
  readonly stoppedAt: number;
  readonly refreshToken: string;
  /** Of the login of `grace`, who has an app with this secret. */
  readonly challenge: string;
  readonly totpSecret: string;
  /** It has a draft beside it, which is due, and a tag that is being renamed. */
  readonly item: number;
  readonly trashed: number;
  /** Made with the Idempotency-Key `in-the-middle` and this body. */
  readonly onceId: number;
  readonly once: object;
  /** It is due. */
  readonly draftId: number;
  /** Made by the last request, with the tag of `item`. */
  readonly ships: readonly number[];
}

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

/** The same of a service that `scripts/release-interrupted.ts` has killed in the middle of work. */
export async function interruptedDatabase(
  t: Lifetime,
  engine: TestEngine,
  version: string,
): Promise<{ settings: Record<string, string>; known: KnownOfInterrupted }> {
  const folder = new URL(`../fixtures/${version}/interrupted/`, import.meta.url);
  const unpacked = async (name: string) => gunzipSync(await readFile(new URL(name, folder)));
  const settings = { ...(await emptySettings(t, engine)), SEALING_KEY: first.sealingKey };
  const { DATA_DIR }: Record<string, string> = settings;
  if (DATA_DIR === undefined) await execOn(settings, String(await unpacked('stoa.sql.gz')));
  else
    for (const name of readdirSync(folder).filter((each) => each.startsWith('stoa.db')))
      await writeFile(join(DATA_DIR, name.replace('.gz', '')), await unpacked(name), { mode: 0o600 });
  const known = JSON.parse(await readFile(new URL('known.json', folder), 'utf8'));
  return { settings, known: known[engine.name] };
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
