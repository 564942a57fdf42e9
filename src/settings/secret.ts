import { readFileSync } from 'node:fs';
import { reasonOf } from '../domain/reason.ts';
import type { Environment, Setting } from './setting.ts';

/** A secret, and what it is to a reader, such as "a sealing key". */
export interface Secret<Value> {
  readonly name: string;
  readonly what: string;
  /** Fails with an Error whose message continues the name of the setting, and does not repeat the text. */
  readonly parse: (text: string) => Value;
}

/** A secret that is set, or is in a file that `<name>_FILE` names. Undefined where neither is set. */
export function secretSetting<Value>(
  env: Environment,
  setting: Setting,
  { name, what, parse }: Secret<Value>,
): Value | undefined {
  const inFile = `${name}_FILE`;
  const [text, file] = [env[name], env[inFile]];
  if (text === undefined && file === undefined) return undefined;
  if (text === undefined) return setting(inFile, '', (path) => readSecret(path, what, parse));
  return setting(name, '', (given) => {
    if (file === undefined) return parse(given);
    throw new Error(`must not be set together with ${inFile}; remove one of the two.`);
  });
}

/** The operator's own file. It may be a link, as secrets of containers are. */
function readSecret<Value>(file: string, what: string, parse: (text: string) => Value): Value {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`must name a readable file with ${what}; "${file}" is not.`);
  }
  try {
    return parse(text.trimEnd());
  } catch (error) {
    throw new Error(`names a file whose content ${reasonOf(error)}`);
  }
}
