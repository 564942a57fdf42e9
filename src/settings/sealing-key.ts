import { readFileSync } from 'node:fs';
import { reasonOf } from '../domain/reason.ts';
import { parseKey } from '../services/sealing/key.ts';
import type { Environment, Setting } from './setting.ts';

export function sealingKey(env: Environment, setting: Setting): Uint8Array | undefined {
  if (env.SEALING_KEY === undefined && env.SEALING_KEY_FILE === undefined) return undefined;
  if (env.SEALING_KEY === undefined) return setting('SEALING_KEY_FILE', '', keyInFile);
  return setting('SEALING_KEY', '', (text) => {
    if (env.SEALING_KEY_FILE === undefined) return parseKey(text);
    throw new Error('must not be set together with SEALING_KEY_FILE; remove one of the two.');
  });
}

/** The operator's own file. It may be a link, as secrets of containers are. */
function keyInFile(file: string): Uint8Array {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`must name a readable file with a sealing key; "${file}" is not.`);
  }
  try {
    return parseKey(text.trimEnd());
  } catch (error) {
    throw new Error(`names a file whose content ${reasonOf(error)}`);
  }
}
