import { signal } from '@preact/signals';

/** What a person has chosen for this browser. A browser without storage forgets it with the page. */

export type Theme = 'system' | 'light' | 'dark';

function read(name: string): string | undefined {
  try {
    return localStorage.getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(name);
    else localStorage.setItem(name, value);
  } catch {
    // It holds for this page.
  }
}

const kept = read('stoa.theme');
export const theme = signal<Theme>(kept === 'light' || kept === 'dark' ? kept : 'system');

export function chooseTheme(chosen: Theme): void {
  theme.value = chosen;
  keep('stoa.theme', chosen === 'system' ? undefined : chosen);
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}

/** The language that was chosen, or the first of the browser that the console has. */
export function keptLanguage(): string {
  return (
    read('stoa.language') ?? navigator.languages.find((name) => /^(en|de)\b/.test(name))?.slice(0, 2) ?? 'en'
  );
}

/**
 * Has this browser been signed in? No script can read the cookie of the session, and a request without the cookie is answered
 * with an error that the browser shows. A browser that refuses its storage to a page refuses cookies too.
 */
export const mayHaveSession = () => read('stoa.session') !== undefined;

export const keepSession = (isThere: boolean) => keep('stoa.session', isThere ? '1' : undefined);
