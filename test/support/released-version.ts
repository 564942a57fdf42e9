import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { known as first } from './earlier-version.ts';
import { emptySettings, type Lifetime, type TestEngine } from './engines.ts';
import { execOn } from './place.ts';

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
