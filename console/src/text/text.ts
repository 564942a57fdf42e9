import { signal } from '@preact/signals';
import { keep, keptLanguage } from '../shell/settings.ts';
import type { Messages } from './en.ts';

/** `pseudo` is made of the English texts: longer, with marks, and from right to left. It shows what was forgotten. */
export const LANGUAGES = ['en', 'de', 'pseudo'] as const;
export type Language = (typeof LANGUAGES)[number];
export type TextKey = keyof Messages;

const messages = signal<Texts>({});
const chosen = signal<Language>('en');

/** The language of texts, spans of time and numbers. */
export const language = () => (chosen.value === 'pseudo' ? 'en' : chosen.value);
export const chosenLanguage = () => chosen.value;

type Texts = Readonly<Record<string, string>>;
/** Texts that only some views have, in each language. All that their modules export are texts. */
export type MoreTexts = Readonly<Record<'en' | 'de', () => Promise<Readonly<Record<string, Texts>>>>>;

const ALWAYS: MoreTexts = { en: () => import('./en.ts'), de: () => import('./de.ts') };
/** All that the views until now have needed: another language needs the same. */
const needed = new Set([ALWAYS]);

async function load(name: Language, parts: Iterable<MoreTexts>): Promise<Texts> {
  const loaded = await Promise.all(Array.from(parts, (part) => part[name === 'de' ? 'de' : 'en']()));
  const texts = Object.assign({}, ...loaded.flatMap((texts) => Object.values(texts)));
  return name === 'pseudo' ? (await import('./pseudo.ts')).pseudoOf(texts) : texts;
}

/** Adds texts to those that there are. */
export async function addTexts(more: MoreTexts): Promise<void> {
  needed.add(more);
  const name = chosen.peek();
  const added = await load(name, [more]);
  if (name !== chosen.peek()) return addTexts(more);
  messages.value = { ...messages.peek(), ...added };
}

/** Changes all texts at once; what is being written stays. */
export async function chooseLanguage(name: Language): Promise<void> {
  const count = needed.size;
  const loaded = await load(name, needed);
  if (needed.size > count) return chooseLanguage(name);
  chosen.value = name;
  messages.value = loaded;
  const { documentElement } = document;
  documentElement.lang = language();
  documentElement.dir = name === 'pseudo' ? 'rtl' : 'ltr';
}

export async function rememberLanguage(name: Language): Promise<void> {
  keep('stoa.language', name);
  await chooseLanguage(name);
}

export async function startLanguage(): Promise<void> {
  const kept = keptLanguage();
  await chooseLanguage(LANGUAGES.find((name) => name === kept) ?? 'en');
}

export function isText(key: string): key is TextKey {
  return Object.hasOwn(messages.value, key);
}

/** The ends of all keys that begin so. */
export function textNames(beginning: string): string[] {
  const keys = Object.keys(messages.value).filter((key) => key.startsWith(beginning));
  return keys.map((key) => key.slice(beginning.length));
}

/** A text by its key, with values for the names in braces. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const found = messages.value[key] ?? key;
  return found.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
