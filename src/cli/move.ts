import { TABLES } from '../features.ts';
import { openMoveEnd } from '../open-database.ts';
import type { MoveEnd } from '../store/move-end.ts';
import { carryRestored } from '../transfer/backup/mark-restored.ts';
import type { Proof } from '../transfer/move.ts';
import { fingerprintOf, prepareSource } from '../transfer/prepare.ts';
import { databaseSource } from '../transfer/source.ts';
import { databaseOf, fillTarget, proofLines } from './fill-target.ts';
import { ProgressBar } from './progress-bar.ts';

/** Moves everything from one database to another, compares both, and prints the proof. */
export async function moveDatabase(urls: { from: string; to: string }): Promise<void> {
  const [from, to] = [databaseOf('--from', urls.from), databaseOf('--to', urls.to)];
  const end = await openMoveEnd(from, 'source');
  try {
    const tables = await prepareSource(end, TABLES);
    const source = {
      rows: databaseSource(end),
      tables,
      identity: await fingerprintOf(end, tables),
    };
    const report = (target: string, proof: readonly Proof[]) => reportOf(end.name, target, proof);
    const begin = (target: MoveEnd) => carryRestored(end, target);
    await fillTarget(to, { source, verb: 'move', begin, report }, new ProgressBar(process.stderr));
  } finally {
    await end.close();
  }
}

function reportOf(from: string, to: string, proof: readonly Proof[]): string {
  return `Moved from the ${from} to the ${to}.\nBoth hold the same, table by table (SHA-256 summed over the rows):\n${proofLines(proof)}Signing keys and secrets are sealed as they were: the new service needs the sealing key of the old one.\n`;
}
