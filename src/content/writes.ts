import { Failure } from '../domain/failure.ts';
import type { OnceRequests } from '../services/idempotency/requests.ts';
import type { LocalLimits } from '../services/limits/local.ts';
import type { ReadOperation } from '../store/operation.ts';
import type { Store } from '../store/store.ts';
import { type ContentSize, type SizeRequest, sizeOfContent } from './draft-items.ts';
import type { StoredBytes } from './stored.ts';

/** What routes that write items need. */
export interface ContentWrites {
  readonly config: { readonly trashDays: number };
  readonly store: Store;
  readonly limits: LocalLimits;
  readonly stored: StoredBytes;
  readonly onceRequests: OnceRequests;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

const KIB = 1024;

/**
 * Counts a write that makes the database write so many bytes of text, also where the request sends few of them. Called
 * before the write, so that creating an item remains one statement. Fails with `too_many_requests`.
 */
export function countWrite(
  { limits }: Pick<ContentWrites, 'limits'>,
  { userId }: { readonly userId: number },
  bytes = 0,
): void {
  limits.spend('writes', userId);
  limits.spend('writtenMebibytes', userId, mebibytesOf(bytes));
}

/** What a write of so many bytes counts of `writtenMebibytes`: a KiB at least. */
export function mebibytesOf(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / KIB)) / KIB;
}

export function bytesOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

interface ContentWrite {
  readonly id: number;
  readonly caller: { readonly userId: number };
  /** The new text, where it is changed. */
  readonly content?: string | undefined;
  /** Reads the text that it replaces, which is that of the item unless a draft has another. */
  readonly sizeOf?: ReadOperation<SizeRequest, ContentSize | undefined>;
}

/**
 * A full account can still rename and shorten its items, until it has a tenth more than it may: earlier versions are
 * kept, and count.
 */
const LEEWAY = 1.1;

/**
 * Makes a change of an item or its draft. So many bytes count as written before it is made, and it has room. They are given
 * back where it writes nothing: where it is refused, or changes nothing. Fails with `too_many_requests` or `storage_full`,
 * and as `make`.
 */
export async function countedChange<Made extends { readonly isWritten: boolean }>(
  parts: ContentWrites,
  write: ContentWrite,
  bytes: number,
  make: () => Promise<Made>,
): Promise<Made> {
  const { userId } = write.caller;
  countWrite(parts, write.caller, bytes);
  let isWritten = true;
  try {
    await requireRoomForChange(parts, write);
    const made = await make();
    isWritten = made.isWritten;
    return made;
  } catch (error) {
    // A write that got no answer may be stored.
    isWritten = !(error instanceof Failure) || error.code >= 500;
    throw error;
  } finally {
    if (!isWritten) parts.limits.giveBack('writtenMebibytes', userId, mebibytesOf(bytes));
  }
}

/** The limit of an editor does not concern the items of others. Fails with `storage_full`. */
export async function requireRoomForChange(
  { store, stored }: ContentWrites,
  { id, caller, content, sizeOf = sizeOfContent }: ContentWrite,
): Promise<void> {
  await stored.requireRoom(caller.userId, async () => {
    const item = await store.read(sizeOf, { id, userId: caller.userId });
    if (item?.author_id !== caller.userId) return Number.POSITIVE_INFINITY;
    const isLonger = content !== undefined && Buffer.byteLength(content) > item.bytes;
    return isLonger ? 1 : LEEWAY;
  });
}
