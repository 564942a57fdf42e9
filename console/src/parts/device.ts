import { text } from '../text/text.ts';

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** What a User-Agent says to people: a browser and a system, or its first words. Anybody can claim anything. */
export function deviceText(device: string | undefined): string {
  if (device === undefined || device === '') return text('sessions.unknown');
  const find = (list: readonly (readonly [string, string])[]) =>
    list.find(([part]) => device.includes(part))?.[1];
  const known = [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined);
  return known.length > 0 ? known.join(' · ') : device.slice(0, 60);
}
