import { type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

/** How people get the log: one line an event, with the time of this machine. The last line is written before the end. */
export const FOR_PEOPLE = { singleLine: true, translateTime: 'SYS:HH:MM:ss.l', sync: true } as const;

/** Bytes of lines that wait while the output takes none. More are dropped. */
const WAITING = 1024 * 1024;

/** The log on standard output: lines for people at a terminal, and else one JSON object a line. */
export async function openLogger(level: Config['logLevel']): Promise<Logger> {
  const options = { level, base: null, redact: ['req.headers.authorization'] };
  if (!process.stdout.isTTY) return pino(options, lasting());
  const { default: pretty } = await import('pino-pretty');
  return pino(options, pretty(FOR_PEOPLE));
}

/** An output whose failure ends nothing. On a full disk the lines wait for room, and the service goes on to read. */
function lasting(): pino.DestinationStream {
  const output = pino.destination({ dest: 1, maxLength: WAITING });
  const { flushSync } = output;
  output.on('error', () => {
    // At the end of the process it would try again without end.
    output.flushSync = () => {};
  });
  output.on('write', () => {
    output.flushSync = flushSync;
  });
  return output;
}
