import type { bulk as english } from './bulk.en.ts';

export const bulk: Record<keyof typeof english, string> = {
  'bulk.chosen': '{count} ausgewählt',
  'bulk.all': 'Alle {count} passenden',
  'bulk.done': 'Geändert: {done}. Abgelehnt: {failed}.',
  'bulk.most': 'Eine Aktion nimmt höchstens {count}. Die übrigen {rest} passenden bleiben, wie sie sind.',
  'bulk.running': '{done} von {count} …',
  'content.bulk': 'Ausgewählte Beiträge',
  'content.bulk.public': 'Allen zeigen',
  'content.bulk.members': 'Nur Mitgliedern zeigen',
  'content.bulk.ask': '{count} Beiträge ändern?',
  'content.bulk.ask.one': '1 Beitrag ändern?',
  'content.bulk.ask_yes': '{count} Beiträge ändern',
  'content.bulk.ask_yes.one': '1 Beitrag ändern',
  'content.bulk.others': 'Der Beitrag ist von einem anderen Autor.',
  'content.bulk.trash': '{count} Beiträge in den Papierkorb legen?',
  'content.bulk.trash.one': '1 Beitrag in den Papierkorb legen?',
  'content.bulk.trash_yes': '{count} Beiträge wegwerfen',
  'content.bulk.trash_yes.one': '1 Beitrag wegwerfen',
  'content.bulk.purge': '{count} Beiträge endgültig löschen?',
  'content.bulk.purge.one': '1 Beitrag endgültig löschen?',
  'content.bulk.purge_yes': '{count} Beiträge endgültig löschen',
  'content.bulk.purge_yes.one': '1 Beitrag endgültig löschen',
  'content.bulk.purge_what': 'Der Dienst hat diese Beiträge eben gezählt. Nichts bringt sie zurück.',
  'content.bulk.what': 'Der Dienst hat diese Beiträge eben gezählt. Jede Änderung ist eine neue Version.',
  'content.bulk.trash_what':
    'Der Dienst hat diese Beiträge eben gezählt. Sie lassen sich einige Tage lang aus dem Papierkorb holen.',
};
