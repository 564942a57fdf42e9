import type { labels as english } from './labels.en.ts';

export const labels: Record<keyof typeof english, string> = {
  'content.labels.none': 'Kein Beitrag hat hier ein Schlagwort oder eine Kategorie.',
  'content.labels.count': '{count} Beiträge',
  'content.labels.count.one': '1 Beitrag',
  'content.labels.rename': 'Umbenennen',
  'content.labels.rename.ask': '„{name}“ umbenennen',
  'content.labels.rename.to': 'Neuer Name',
  'content.labels.rename.do': 'In {count} Beiträgen umbenennen',
  'content.labels.rename.do.one': 'In 1 Beitrag umbenennen',
  'content.labels.merge.do': '{count} Beiträge zusammenführen',
  'content.labels.merge.do.one': '1 Beitrag zusammenführen',
  'content.labels.rename.warn': '{count} Beiträge ändern sich, dazu Entwürfe und Beiträge im Papierkorb.',
  'content.labels.rename.warn.one': '1 Beitrag ändert sich, dazu Entwürfe und Beiträge im Papierkorb.',
  'content.labels.rename.how': 'Jeder bekommt eine neue Version in Ihrem Namen. Das dauert eine Weile.',
  'content.labels.merge.warn':
    '„{name}“ gibt es schon, mit {count} Beiträgen. Beide werden eins, und nichts trennt sie danach wieder.',
  'content.labels.merge.warn.one':
    '„{name}“ gibt es schon, mit 1 Beitrag. Beide werden eins, und nichts trennt sie danach wieder.',
  'content.labels.running': '„{from}“ wird in „{name}“ umbenannt. Bis jetzt geändert: {count}.',
  'content.labels.ended': '„{from}“ heißt jetzt „{name}“. Geändert: {count}.',
  'content.labels.search': 'Beginnt mit',
};
