import type { past as english } from './past.en.ts';

export const past: Record<keyof typeof english, string> = {
  'content.version.number': 'Version {version}',
  'content.open': 'Öffnen',
  'content.back': 'Zurück zum Beitrag',
  'content.bytes': '{bytes} Bytes',
  'content.versions.choose': 'Wählen Sie eine Version, um ihre Änderungen zu sehen.',
  'content.difference': 'Unterschied',
  'content.difference.of': 'Von Version {from} zu {to}',
  'content.difference.line': 'Zeile {line}',
  'content.difference.none': 'Es gibt keinen Unterschied.',
  'content.difference.cut': 'Es gibt mehr Unterschiede, als sich zeigen lassen.',
  'content.restore': 'Wiederherstellen',
  'content.restore.ask': 'Version {version} wiederherstellen?',
  'content.restore.what': 'Ihr Text wird eine neue Version des Beitrags. Keine Version geht verloren.',
  'content.restore.at_once': 'Der Beitrag ist veröffentlicht. Leser sehen ihn sofort so.',
  'content.restore.draft':
    'Die unveröffentlichten Änderungen bleiben daneben bestehen, und der Editor zeigt sie.',
  'content.trash.none': 'Der Papierkorb ist leer.',
  'content.trash.by': 'Hierher gelegt von {name}, {at}',
  'content.trash.until': 'Endgültig gelöscht: {at}',
  'content.trash.restored': '„{title}“ ist wiederhergestellt.',
  'content.trash.purged': '„{title}“ ist endgültig gelöscht.',
  'content.purge': 'Endgültig löschen',
  'content.purge.ask': '„{title}“ endgültig löschen?',
  'content.purge.what': 'Der Beitrag und alle seine Versionen werden gelöscht. Nichts holt sie zurück.',
};
