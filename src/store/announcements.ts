/** The topics of announcements, and the keys of each. A room merges its own topics into this interface. */
// biome-ignore lint/suspicious/noEmptyInterface: the store itself knows no noun.
export interface Topics {}

/**
 * Tells who remembers rows what a write changed: its topic and its key. 'anything' means that everything remembered from
 * the database may be out of date. It is stored nowhere.
 */
export type Announcement = 'anything' | { [T in keyof Topics]: { topic: T; key: Topics[T] } }[keyof Topics];

/** Is it an announcement, as another process of this version sends it? */
export function isAnnouncement(value: unknown): value is Announcement {
  return (
    value === 'anything' ||
    (typeof value === 'object' && value !== null && 'topic' in value && 'key' in value)
  );
}
