/** The topics of changes, and the keys of each. A room merges its own topics into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the store itself knows no noun.
export interface Topics {}

/**
 * One thing that a write changed: its topic and its key. 'anything' means that everything remembered from the database
 * may be out of date.
 */
export type Change = 'anything' | { [T in keyof Topics]: { topic: T; key: Topics[T] } }[keyof Topics];

/** Is it a change, as another process of this version sends it? */
export function isChange(value: unknown): value is Change {
  return (
    value === 'anything' ||
    (typeof value === 'object' && value !== null && 'topic' in value && 'key' in value)
  );
}
