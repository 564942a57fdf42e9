import { Type } from 'typebox';
import { refusalOfName } from '../domain/name.ts';
import type { Formats } from '../http/validation.ts';

/** In code points: what an owner calls a session, a token or a passkey. */
export const NAME_LENGTH = { min: 1, max: 100 } as const;

export const nameFormats: Formats = {
  name: {
    validate: (text) => refusalOfName(text, NAME_LENGTH.max) === undefined,
    must: (text) => refusalOfName(text, NAME_LENGTH.max) ?? '',
  },
};

/** What an owner calls a token or a passkey: the same rule as for a display name (docs/decisions/names-and-text.md). */
export function givenName(example: string) {
  return Type.String({
    format: 'name',
    minLength: NAME_LENGTH.min,
    maxLength: NAME_LENGTH.max,
    description:
      '1-100 characters without line breaks, and without invisible ones but for the joiners that a script or an emoji needs.',
    examples: [example],
  });
}

/** What the owner of a token, a session or a passkey calls it. */
export const Name = givenName('Nightly export');

/** What changes of a token, a session or a passkey. */
export const NameInput = Type.Object({ name: Name }, { $id: 'NameInput', description: 'Another name.' });
