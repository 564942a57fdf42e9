import { Failure } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { BACKLOGS, TABLES } from '../features.ts';
import { openMoveEnd } from '../open-database.ts';
import { type Database, parseDatabaseUrl } from '../settings/database-url.ts';
import type { MoveEnd } from '../store/move-end.ts';
import { move, type Proof } from '../transfer/move.ts';
import { type Prepared, prepareTarget } from '../transfer/prepare.ts';
import { forgetProgress } from '../transfer/progress.ts';
import type { ProgressBar } from './progress-bar.ts';

/** What fills a target, and how it is told to the operator. */
interface Filling {
  readonly source: Prepared;
  /** "move" or "restore". */
  readonly verb: string;
  /** Called when the target is prepared, before its first row. */
  readonly begin?: (target: MoveEnd) => Promise<void>;
  readonly report: (target: string, proof: readonly Proof[]) => string;
}

/** Fills the target from the source, compares both, and prints the report. After an interruption it can be run again. */
export async function fillTarget(
  to: Database,
  { source, verb, begin, report }: Filling,
  progress: ProgressBar,
): Promise<void> {
  const target = await openMoveEnd(to, 'target');
  let isInterrupted = false;
  let isFilling = false;
  const interrupt = () => {
    // npm repeats a Ctrl-C that the terminal has already sent to the command.
    if (!isInterrupted) endInterrupted(progress, verb);
    isInterrupted = true;
  };
  process.on('SIGINT', interrupt);
  try {
    await prepareTarget(target, source, TABLES);
    isFilling = true;
    await begin?.(target);
    const proof = await move(source.rows, target, source.tables, BACKLOGS, progress);
    isFilling = false;
    progress.end();
    process.stdout.write(report(target.name, proof));
    // The last step. A command that was killed before it can be run again, and then shows its proof.
    await forgetProgress(target.db);
  } catch (error) {
    progress.end();
    if (error instanceof Failure) throw interrupted(error, verb);
    // Nobody can continue with such a source, and the next one needs an empty database.
    const isInVain = isFilling && verb === 'restore' && error instanceof OperatorError;
    // Where files cannot be removed, the reason of the restore is still the one to tell.
    if (isInVain && (await target.discard().catch(() => false))) throw removed(error, target.name);
    throw error;
  } finally {
    process.off('SIGINT', interrupt);
    await target.close();
  }
}

function removed({ message, cause }: OperatorError, name: string): OperatorError {
  return new OperatorError(`${message} The unfinished ${name}, which this restore had made, was removed.`, {
    cause,
  });
}

/** Fails with OperatorError that names the option, where its URL is wrong. */
export function databaseOf(option: string, url: string): Database {
  try {
    if (url === '') throw new Error('must not be empty.');
    return parseDatabaseUrl(url, '.');
  } catch (error) {
    throw new OperatorError(`${option} ${reasonOf(error)}`);
  }
}

/** One line for each table: its rows and their checksum. */
export function proofLines(proof: readonly Proof[]): string {
  const width = Math.max(...proof.map(({ table }) => table.length));
  const lines = proof.map(
    ({ table, rows, sum }) => `  ${table.padEnd(width)}  ${String(rows).padStart(12)} rows  ${sum}\n`,
  );
  return lines.join('');
}

/**
 * Ends with the exit code that a shell expects after Ctrl-C. The database rolls the open transaction back, as after
 * kill -9.
 */
function endInterrupted(progress: ProgressBar, verb: string): void {
  progress.end();
  process.stderr.write(`Interrupted. Run the same command again to continue the ${verb}.\n`, () =>
    process.exit(130),
  );
}

/** The sentence for a database that became unavailable meanwhile, or has no room left. */
function interrupted({ cause, message }: Failure, verb: string): OperatorError {
  const why = cause instanceof Error ? cause.message : message;
  return new OperatorError(
    `The ${verb} was interrupted: ${why.replace(/\.$/, '')}. Run it again to continue.`,
  );
}
