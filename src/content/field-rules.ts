import type { Type } from 'typebox';
import { LANGUAGE_LENGTH } from '../domain/language-tag.ts';
import { SLUG_BYTES } from '../domain/slug.ts';
import type { Meta } from './meta.ts';
import { VISIBILITIES } from './visibility.ts';

export type T = typeof Type;

/** Characters that a category or a tag may have. */
export const LABEL_LENGTH = 64;

// What an author may say of an item, member by member.

export const title = (t: T) =>
  t.String({ minLength: 1, maxLength: 200, description: 'Title of the content.', examples: ['Hello'] });
export const content = (t: T) =>
  t.String({
    format: 'content-text',
    description: 'Body of the content, at most 1 MiB of UTF-8, kept byte for byte.',
    examples: ['The first item.'],
  });
export const category = (t: T) =>
  t.String({ maxLength: LABEL_LENGTH, description: 'Category label.', examples: ['notes'] });
export const tags = (t: T) =>
  t.Array(t.String({ minLength: 1, maxLength: LABEL_LENGTH }), {
    maxItems: 32,
    description: 'Tag labels, trimmed, without repeats, in the order given.',
    examples: [['first', 'hello']],
  });
export const language = (t: T) =>
  t.String({
    maxLength: LANGUAGE_LENGTH,
    format: 'language-tag',
    description: 'Language tag (BCP 47), kept as given; empty for none.',
    examples: ['en'],
  });
export const meta = (t: T) =>
  t.Unsafe<Meta>({
    type: 'object',
    additionalProperties: true,
    description:
      'Anything else that the author has to say of the item, as a JSON object of at most 16 KiB, nested at most 8 deep.',
    examples: [{ weight: 3 }],
  });
export const visibility = (t: T) =>
  t.Enum(VISIBILITIES, {
    type: 'string',
    description: 'Who may see the item: everybody, or only accounts (`members`).',
    examples: ['public'],
  });
export const slug = (t: T) =>
  t.String({
    minLength: 1,
    maxLength: SLUG_BYTES,
    format: 'slug',
    description: `Names the item in URLs, and no other item: words of lower-case letters and digits of any script with hyphens between them, at most ${SLUG_BYTES} bytes of UTF-8. Made from the title if it is not given; a change of the title leaves it.`,
    examples: ['hello'],
  });
export const time = (t: T) => t.String({ format: 'date-time' });
export const timeOrNull = (t: T, description: string) =>
  t.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description });
