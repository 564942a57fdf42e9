/** A disk is nearly full when less than this part of it is free, or less than `LOW_BYTES` if that is less. */
const LOW_PART = 0.1;
const LOW_BYTES = 1024 ** 3;

/** Below this many free bytes, a disk of this size is nearly full. */
export function lowRoomOf(bytes: number): number {
  return Math.min(bytes * LOW_PART, LOW_BYTES);
}
