import { moveDatabase } from '../../src/cli/move.ts';
import type { CommandResult } from './command.ts';
import { commandHere } from './command-here.ts';
import type { Place } from './place.ts';

/** Runs a move in this process until it ends. */
export function move(from: Place, to: Place): Promise<CommandResult> {
  return commandHere({}, () => moveDatabase({ from: from.url, to: to.url }));
}

/** The lines of the proof. Each has a table, the number of its rows and its checksum. */
export function proofOf({ stdout }: CommandResult): string[] {
  return [...stdout.matchAll(/^ {2}(\w+) +(\d+) rows {2}([0-9a-f]{64})$/gm)].map(([line]) => line);
}
