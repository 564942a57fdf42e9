import { Type } from 'typebox';
import { isLanguageTag } from '../domain/language-tag.ts';
import { isSlug } from '../domain/slug.ts';
import type { FailureMembers } from '../http/failure-members.ts';
import type { Formats } from '../http/validation.ts';
import { UserReference } from '../sessions/contract.ts';
import { NAMES } from './contract.ts';
import { MAX_CONTENT_BYTES } from './excerpt.ts';

/** Characters of a list of members. Far more than all of them have. */
const MOST_FIELDS = 1_000;

export const contentFormats: Formats = {
  'content-text': {
    validate: (text) => Buffer.byteLength(text) <= MAX_CONTENT_BYTES,
    must: 'must be at most 1 MiB of UTF-8',
  },
  'language-tag': {
    validate: (text) => text === '' || isLanguageTag(text),
    must: 'must be a language tag, such as "en" or "pt-BR"',
  },
  slug: {
    validate: isSlug,
    must: 'must be words of lower-case letters and digits with hyphens between them, such as "my-first-item"',
  },
  'content-fields': {
    validate: (text) => text.length <= MOST_FIELDS && text.split(',').every((name) => NAMES.includes(name)),
    must: () => `must be some of ${NAMES.join(', ')}, with commas between them`,
  },
};

const index = {
  index: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'Which of the operations of POST /api/content/bulk failed, counted from 0.',
    }),
  ),
};

/** Which operation of several failed, and what a 412 tells of the item that another change was made to. */
export const contentFailures: FailureMembers = {
  400: index,
  403: index,
  404: index,
  429: index,
  412: {
    ...index,
    version: Type.Integer({ minimum: 1, description: 'The version that the item or its draft is at.' }),
    at: Type.String({ format: 'date-time', description: 'When that was made, or the draft saved last.' }),
    by: UserReference,
    changed: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The members that were changed since the version of If-Match; absent where that version is not known any more, and for a draft beside an item, which keeps no earlier versions.',
      }),
    ),
  },
};
