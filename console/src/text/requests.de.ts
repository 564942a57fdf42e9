import type { requests as english } from './requests.en.ts';

export const requests: Record<keyof typeof english, string> = {
  'requests.what':
    'Was diese Seite gefüllt hat. Eine Kopie liest ein Zugriffstoken aus STOA_TOKEN: das einer Anmeldung, für Inhalte auch eines von hier:',
  'requests.copy': 'Als {kind} kopieren',
};
