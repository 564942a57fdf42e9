import { parseKey } from '../services/sealing/key.ts';
import { secretSetting } from './secret.ts';
import type { Environment, Setting } from './setting.ts';

export function sealingKey(env: Environment, setting: Setting): Uint8Array | undefined {
  return secretSetting(env, setting, { name: 'SEALING_KEY', what: 'a sealing key', parse: parseKey });
}
