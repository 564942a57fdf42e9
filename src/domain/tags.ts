import { codePoints } from './text.ts';

/**
 * Tags of a body, trimmed and without repeats. Where a tag is no text of 1 to `longest` characters, repeats stay, because
 * the mistake is reported by the index that the client knows.
 */
export function trimmedTags(tags: readonly unknown[], longest: number): readonly unknown[] {
  const trimmed = tags.map((tag) => (typeof tag === 'string' ? tag.trim() : tag));
  const different = [...new Set(trimmed)];
  return different.every((tag) => isTag(tag, longest)) ? different : trimmed;
}

function isTag(tag: unknown, longest: number): boolean {
  // No text of more units than this is counted: it may be very long.
  return typeof tag === 'string' && tag !== '' && tag.length <= 2 * longest && codePoints(tag) <= longest;
}
