import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import type { Notice } from '../domain/notice.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { onStopSignals, STOP_SIGNALS, type StopSignal } from './stop-signals.ts';

/** The longest time for the stop after a signal: requests under way, and closing the store. */
const GRACE_MS = 9_000;
/** For a process that waits for others with that time. */
export const GRACE_OF_PRIMARY_MS = 9_500;

interface Options {
  readonly logger: Logger;
  /** Finishes the work of the process. Without a signal the process ends because of an error. */
  readonly finish: (signal: NodeJS.Signals | undefined) => Promise<void>;
  readonly graceMs?: number;
  /** Of the lines that say that the process stops. */
  readonly level?: 'info' | 'debug';
}

export interface Ending {
  readonly stop: (signal: StopSignal) => void;
  /** Ends at once, because the process was asked to stop once more. */
  readonly insist: (signal: StopSignal) => void;
  /** The process has not begun to serve, and its caller ends it. */
  readonly cancel: () => void;
}

/** Ends the process in order when it is asked to stop, and after an unexpected error; with 0 only in the first case. */
export function endInOrder({ logger, finish, graceMs = GRACE_MS, level = 'info' }: Options): Ending {
  let asked: StopSignal | undefined;
  let isStopping = false;
  const options = { delay: graceMs, logger, skip: [...STOP_SIGNALS] };
  const grace = closeWithGrace(options, async ({ err, signal = asked }) => {
    isStopping = true;
    if (err instanceof OperatorError) logger.fatal(err.message);
    else if (err) logger.fatal({ err }, 'stopping after an unexpected error');
    else logger[level]({ signal }, 'stopping');
    await finish(signal);
    logger[level]('stopped');
  });
  const insist = (signal: StopSignal) => {
    logger.error({ signal }, 'asked to stop once more; ending at once');
    process.exit(1);
  };
  const stop = (signal: StopSignal) => {
    if (isStopping) insist(signal);
    asked = signal;
    grace.close();
  };
  return { stop, insist, cancel: () => grace.uninstall() };
}

/** The same for a process that signals stop. */
export function endBySignals(options: Options): Pick<Ending, 'cancel'> {
  const { stop, insist, cancel } = endInOrder(options);
  const ignoreSignals = onStopSignals(stop, insist);
  const cancelAll = () => {
    ignoreSignals();
    cancel();
  };
  return { cancel: cancelAll };
}

/**
 * The error is thrown outside of any request, so it ends the process. A supervisor can then start the service again, and no
 * half-working process stays.
 */
export function throwLost(reason: Error): never {
  throw reason;
}

/** Logs each notice as a warning, with the cause of an error in one line and without its stack. */
export function noticesTo(logger: Logger): Notice {
  return (message, error) => logger.warn(error === undefined ? {} : { cause: reasonOf(error) }, message);
}
