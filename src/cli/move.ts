import { Failure } from '../domain/failure.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { reasonOf } from '../domain/reason.ts';
import { BACKLOGS, TABLES } from '../features.ts';
import { openMoveEnd } from '../open-store.ts';
import { type Database, parseDatabaseUrl } from '../settings/database-url.ts';
import type { LiveTable, MoveEnd } from '../store/move-end.ts';
import { move, type Proof } from '../transfer/move.ts';
import { prepareSource, prepareTarget } from '../transfer/prepare.ts';
import { forgetProgress } from '../transfer/progress.ts';
import { ProgressBar } from './progress-bar.ts';

/** Moves everything from one database to another, compares both, and prints the proof. */
export async function moveDatabase(urls: { from: string; to: string }): Promise<void> {
  const [from, to] = [databaseOf('--from', urls.from), databaseOf('--to', urls.to)];
  const source = await openMoveEnd(from, 'source');
  try {
    const tables = await prepareSource(source, TABLES);
    await moveInto(to, source, tables);
  } finally {
    await source.close();
  }
}

async function moveInto(to: Database, source: MoveEnd, tables: readonly LiveTable[]): Promise<void> {
  const target = await openMoveEnd(to, 'target');
  const progress = new ProgressBar(process.stderr);
  let isInterrupted = false;
  const interrupt = () => {
    // npm repeats a Ctrl-C that the terminal has already sent to the move.
    if (!isInterrupted) endInterrupted(progress);
    isInterrupted = true;
  };
  process.on('SIGINT', interrupt);
  try {
    await prepareTarget(target, source, tables, TABLES);
    const proof = await move(source, target, tables, BACKLOGS, progress);
    progress.end();
    process.stdout.write(report(source.name, target.name, proof));
    // The last step. A move that was killed before it can be run again, and then shows its proof.
    await forgetProgress(target.db);
  } catch (error) {
    progress.end();
    throw error instanceof Failure ? interrupted(error) : error;
  } finally {
    process.off('SIGINT', interrupt);
    await target.close();
  }
}

/**
 * Ends with the exit code that a shell expects after Ctrl-C. The database rolls the open transaction back, as after
 * kill -9.
 */
function endInterrupted(progress: ProgressBar): void {
  progress.end();
  process.stderr.write('Interrupted. Run the same command again to continue the move.\n', () =>
    process.exit(130),
  );
}

/** The sentence for a database that became unavailable during the move, or has no room left. */
function interrupted({ cause, message }: Failure): OperatorError {
  const why = cause instanceof Error ? cause.message : message;
  return new OperatorError(`The move was interrupted: ${why.replace(/\.$/, '')}. Run it again to continue.`);
}

function databaseOf(option: string, url: string): Database {
  try {
    if (url === '') throw new Error('must not be empty.');
    return parseDatabaseUrl(url, '.');
  } catch (error) {
    throw new OperatorError(`${option} ${reasonOf(error)}`);
  }
}

function report(from: string, to: string, proof: readonly Proof[]): string {
  const width = Math.max(...proof.map(({ table }) => table.length));
  const lines = proof.map(
    ({ table, rows, sum }) => `  ${table.padEnd(width)}  ${String(rows).padStart(12)} rows  ${sum}`,
  );
  return `Moved from the ${from} to the ${to}.\nBoth hold the same, table by table (SHA-256 summed over the rows):\n${lines.join('\n')}\nSigning keys and secrets are sealed as they were: the new service needs the sealing key of the old one.\n`;
}
