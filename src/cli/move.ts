import { parseDatabaseUrl } from '../config.ts';
import { OperatorError } from '../domain/operator-error.ts';
import { move, type Proof } from '../move/move.ts';
import { openMoveEnd } from '../open-store.ts';
import { ProgressBar } from './progress-bar.ts';

/** Moves everything from one database to another, compares both, and prints the proof. */
export async function moveDatabase(urls: { from: string; to: string }): Promise<void> {
  const [from, to] = [databaseOf('--from', urls.from), databaseOf('--to', urls.to)];
  const source = await openMoveEnd(from, 'source');
  try {
    const target = await openMoveEnd(to, 'target');
    try {
      const proof = await move(source, target, new ProgressBar(process.stderr));
      process.stdout.write(report(source.name, target.name, proof));
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function databaseOf(option: string, url: string) {
  try {
    if (url === '') throw new Error('must not be empty.');
    return parseDatabaseUrl(url, '.');
  } catch (error) {
    throw new OperatorError(`${option} ${error instanceof Error ? error.message : String(error)}`);
  }
}

function report(from: string, to: string, proof: readonly Proof[]): string {
  const width = Math.max(...proof.map(({ table }) => table.length));
  const lines = proof.map(
    ({ table, rows, sum }) => `  ${table.padEnd(width)}  ${String(rows).padStart(12)} rows  ${sum}`,
  );
  return `Moved from ${from} to ${to}.\nBoth hold the same, table by table (SHA-256 summed over the rows):\n${lines.join('\n')}\n`;
}
