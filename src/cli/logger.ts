import { type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

/** How people get the log: one line an event, with the time of this machine. The last line is written before the end. */
export const FOR_PEOPLE = { singleLine: true, translateTime: 'SYS:HH:MM:ss.l', sync: true } as const;

/** The log on standard output: lines for people at a terminal, and else one JSON object a line. */
export async function openLogger(level: Config['logLevel']): Promise<Logger> {
  const options = { level, base: null, redact: ['req.headers.authorization'] };
  if (!process.stdout.isTTY) return pino(options);
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty(FOR_PEOPLE));
}
