import { DISPLAY_NAME_LENGTH, refusalOfName } from '../domain/name.ts';
import { hasPasswordLength, PASSWORD_LENGTH } from '../domain/password.ts';
import { INVISIBLE, refusalOfUsername } from '../domain/username.ts';
import type { Formats } from '../http/validation.ts';

/** RFC 5321, 4.5.3.1: the longest address and the longest part before its "@". */
const EMAIL_LENGTH = { whole: 254, local: 64 };

const EMAIL = /^[\p{L}\p{M}\p{N}.!#$%&'*+/=?^_`{|}~-]+@[\p{L}\p{M}\p{N}-]+(\.[\p{L}\p{M}\p{N}-]+)+$/u;

/** The rules of names, addresses and passwords, by code points after NFC (docs/decisions/names-and-text.md). */
export const accountFormats: Formats = {
  username: {
    validate: (text) => refusalOfUsername(text) === undefined,
    must: (text) => refusalOfUsername(text) ?? '',
  },
  email: { validate: isEmail, must: 'must be an e-mail address, like name@example.org' },
  password: {
    validate: hasPasswordLength,
    must: `must have ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters`,
  },
  'display-name': {
    validate: (text) => refusalOfName(text, DISPLAY_NAME_LENGTH.max) === undefined,
    must: (text) => refusalOfName(text, DISPLAY_NAME_LENGTH.max) ?? '',
  },
};

function isEmail(text: string): boolean {
  const local = text.lastIndexOf('@');
  return (
    text.length <= EMAIL_LENGTH.whole &&
    local <= EMAIL_LENGTH.local &&
    EMAIL.test(text) &&
    !INVISIBLE.test(text)
  );
}
