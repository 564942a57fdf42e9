/** Longer than any tag in use. RFC 5646 (4.4.1) asks for 35 at least. */
export const LANGUAGE_LENGTH = 64;

const LANGUAGE = '(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})';
const SCRIPT = '(?:-[a-z]{4})?';
const REGION = '(?:-(?:[a-z]{2}|[0-9]{3}))?';
const VARIANTS = '(?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*';
const EXTENSIONS = '(?:-[0-9a-wyz](?:-[a-z0-9]{2,8})+)*';
const PRIVATE_USE = 'x(?:-[a-z0-9]{1,8})+';

const TAG = new RegExp(
  `^(?:${LANGUAGE}${SCRIPT}${REGION}${VARIANTS}${EXTENSIONS}(?:-${PRIVATE_USE})?|${PRIVATE_USE})$`,
  'i',
);

/**
 * Has the text the form of a language tag (BCP 47: RFC 5646, 2.1)? The irregular tags of before 2005 are none. Which
 * subtags are registered is not asked: the list of a runtime changes.
 */
export function isLanguageTag(text: string): boolean {
  return text.length <= LANGUAGE_LENGTH && TAG.test(text);
}
