import { pseudoOf } from '../text/pseudo.ts';
import { chosenLanguage, text as commonText, type TextKey } from '../text/text.ts';
import { system as german } from './text.de.ts';
import { system as english } from './text.en.ts';

export { language } from '../text/text.ts';

type SystemKey = keyof typeof english;

/** The texts of this page, which no other view has to load. */
const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  en: english,
  de: german,
  pseudo: pseudoOf(english),
};

export function isText(key: string): key is SystemKey {
  return Object.hasOwn(english, key);
}

/** A text of this page, or one that all views share, with values for the names in braces. */
export function text(key: SystemKey | TextKey, values: Readonly<Record<string, string>> = {}): string {
  if (!isText(key)) return commonText(key, values);
  const found = TEXTS[chosenLanguage()]?.[key] ?? english[key];
  return found.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}
