import { signal } from '@preact/signals';
import { keep, keptLanguage } from '../shell/settings.ts';
import type { Messages } from './en.ts';

/** `pseudo` is made of the English texts: longer, with marks, and from right to left. It shows what was forgotten. */
export const LANGUAGES = ['en', 'de', 'pseudo'] as const;
export type Language = (typeof LANGUAGES)[number];
export type TextKey = keyof Messages;

const messages = signal<Readonly<Record<string, string>>>({});
const chosen = signal<Language>('en');

/** The language of texts, times and numbers. */
export const language = () => (chosen.value === 'pseudo' ? 'en' : chosen.value);
export const chosenLanguage = () => chosen.value;

async function load(name: Language): Promise<Readonly<Record<string, string>>> {
  if (name === 'de') return (await import('./de.ts')).default;
  const english = (await import('./en.ts')).default;
  return name === 'pseudo' ? (await import('./pseudo.ts')).pseudoOf(english) : english;
}

/** Changes all texts at once; what is being written stays. */
export async function chooseLanguage(name: Language): Promise<void> {
  const loaded = await load(name);
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

/** A text by its key, with values for the names in braces. */
export function text(key: TextKey, values: Readonly<Record<string, string | number>> = {}): string {
  const found = messages.value[key] ?? key;
  return found.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
