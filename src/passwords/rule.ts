import { invalid } from '../domain/failure.ts';
import { codePoints, foldKey } from '../domain/text.ts';

/** Shorter parts of a name or an address are in many good passwords. */
const LEAST_WORD = 3;

interface Account {
  readonly username: string;
  readonly email: string;
}

/**
 * Refuses a new password that others would guess, where a blocklist is on: one of the list, in any case, and one whose
 * only letters are words of the own name and address. The form of the field has refused a wrong length before. Fails with
 * `validation_failed` for the member `field`.
 */
export function requireUncommon(
  password: string,
  account: Account,
  blocklist: ReadonlySet<string>,
  field = 'password',
): void {
  // PASSWORD_BLOCKLIST is off by default. A rule that always holds comes before this line.
  if (blocklist.size === 0) return;
  const key = foldKey(password);
  if (blocklist.has(key)) {
    const message = 'This password is one of the most common ones; choose another.';
    throw invalid([{ field, rule: 'blocklist', message }]);
  }
  if (isMadeOf(key, wordsOf(account))) {
    const message = 'This password is made of your user name or e-mail address; choose another.';
    throw invalid([{ field, rule: 'own_words', message }]);
  }
}

/** The longest word comes first: "ada" of "ada-lovelace" would leave a rest of "adams". */
function wordsOf({ username, email }: Account): string[] {
  return foldKey(`${username} ${email}`)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => codePoints(word) >= LEAST_WORD)
    .sort((one, other) => other.length - one.length);
}

function isMadeOf(key: string, words: readonly string[]): boolean {
  let rest = key;
  for (const word of words) rest = rest.replaceAll(word, ' ');
  return rest !== key && !/\p{L}/u.test(rest);
}
