import { applyDelta } from 'fossil-delta';

/** The text of a delta (`deltaOf`). Fails where the delta is not of this base: it has a checksum of the text. */
export function textFrom(base: string, delta: string): string {
  const text = applyDelta<Uint8Array>(Buffer.from(base), Buffer.from(delta, 'base64'), {
    verifyChecksum: true,
  });
  return Buffer.from(text).toString();
}
