import type { welcome as english } from './welcome.en.ts';

export const welcome: Record<keyof typeof english, string> = {
  welcome: 'Sie sind der Admin dieses Dienstes',
  'welcome.go_on': 'Weiter zu den Inhalten',
  'welcome.no_passkeys':
    'Damit meldet man sich ohne Passwort an. Sie gehören zu einer Adresse; setzen Sie daher zuerst PUBLIC_URL auf die dieses Dienstes.',
  samples: 'Beispiele',
  'samples.what':
    'Drei Beiträge zeigen, was Stoa mit Texten macht. Sie lassen sich in einem Schritt wieder entfernen.',
  'samples.add': 'Beispiele anlegen',
  'samples.here': 'Drei Beispiele sind hier.',
  'samples.remove': 'Beispiele entfernen',
  'samples.category': 'Anleitung',
  'samples.tag': 'beispiel',
  'samples.markdown': 'So schreiben Sie',
  'samples.markdown.text': `Texte sind Markdown, oder was Ihre App daraus macht.

- **Vorschau** zeigt das Markdown als Seite.
- **Versionen** hat jeden Text, den Sie vorher gesichert haben, und was sich geändert hat.
- Ein Link führt [woandershin](https://commonmark.org/help).

> Strg-S sichert. Was Sie tippen, bleibt bis dahin in diesem Browser.
`,
  'samples.members': 'Nur für Angemeldete',
  'samples.members.text': `Dieser Beitrag hat die Sichtbarkeit *Mitglieder*: Fremde finden ihn weder in einer Liste noch über seine Adresse.
`,
  'samples.draft': 'Ein Entwurf',
  'samples.draft.text': `Einen Entwurf sehen nur Sie und alle, die Beiträge verwalten. Veröffentlichen Sie ihn, wenn er fertig ist, oder wählen Sie eine Zeit dafür.
`,
};
