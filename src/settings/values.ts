import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time.ts';

/** The rules of settings. Each fails with an Error whose message continues the name of the setting. */

export function nonEmpty(text: string): string {
  if (text.trim() === '') throw new Error('must not be empty.');
  return text;
}

/** For `localhost` Fastify also listens on ::1 with a second server, which would lack our limits. */
export function host(text: string): string {
  return text === 'localhost' ? '127.0.0.1' : nonEmpty(text);
}

export function port(text: string): number {
  const value = Number(text);
  if (/^\d{1,5}$/.test(text) && value <= 65_535) return value;
  throw new Error(`must be a port number from 0 to 65535, not "${text}".`);
}

export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new Error(`must be a whole number from ${least} to ${most}, not "${text}".`);
  };
}

export function oneOf<Choice extends string>(choices: readonly Choice[]) {
  return (text: string): Choice => {
    const choice = choices.find((each) => each === text);
    if (choice !== undefined) return choice;
    throw new Error(`must be one of ${choices.join(', ')}, not "${text}".`);
  };
}

const UNITS: Readonly<Record<string, number>> = { m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };
const LONGEST_MS = 365 * DAY_MS;

/** Milliseconds, or undefined for "off". */
export function spanOrOff(text: string): number | undefined {
  if (text === 'off') return undefined;
  const [, number, unit = ''] = /^([1-9]\d{0,5})([mhd])$/.exec(text) ?? [];
  const span = Number(number) * (UNITS[unit] ?? Number.NaN);
  if (span <= LONGEST_MS) return span;
  throw new Error(`must be off, or a time from 1m to 365d, such as 30m, 6h or 1d, not "${text}".`);
}
