import { statfsSync } from 'node:fs';
import { KEPT_BY_BACKUPS, lowRoomOf } from '../../domain/disk-room.ts';
import { OperatorError } from '../../domain/operator-error.ts';
import type { MoveListener } from '../backlog.ts';

const LOOK_MS = 250;

/** Ends the work that it listens to when it is aborted, or when the disk of this folder gets full. */
export function roomLeftIn(folder: string, signal: AbortSignal): MoveListener {
  let nextLook = 0;
  const look = () => {
    signal.throwIfAborted();
    if (performance.now() < nextLook) return;
    nextLook = performance.now() + LOOK_MS;
    const { bavail, blocks, bsize } = statfsSync(folder);
    if (bavail * bsize >= lowRoomOf(blocks * bsize, KEPT_BY_BACKUPS)) return;
    throw new OperatorError(
      `The disk of ${folder} is nearly full; make room, lower BACKUP_KEEP, or set BACKUP_DIR to a larger disk.`,
    );
  };
  return { begin: look, reach: look };
}
