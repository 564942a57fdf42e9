/** A disk is nearly full when less than this part of it is free, or less than `LOW_BYTES` if that is less. */
const LOW_PART = 0.1;
const LOW_BYTES = 1024 ** 3;

/** Of a disk, a backup leaves this part free for the service. */
export const KEPT_BY_BACKUPS = 0.05;

/** Below this many free bytes, a disk of this size is nearly full. `part` is for work that may fill more of it. */
export function lowRoomOf(bytes: number, part = LOW_PART): number {
  return Math.min(bytes * part, LOW_BYTES);
}
