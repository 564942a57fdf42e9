import { readConfig } from '../../src/config.ts';

/** The names of all settings that the service reads. */
export function knownSettings(): ReadonlySet<string> {
  const asked = new Set<string>();
  const get = (_target: object, name: string | symbol) => {
    asked.add(String(name));
    return undefined;
  };
  readConfig(new Proxy({}, { get }));
  return asked;
}
