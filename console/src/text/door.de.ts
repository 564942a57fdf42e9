import type { door as english } from './door.en.ts';

export const door: Record<keyof typeof english, string> = {
  'forgotten.what': 'Geben Sie die Adresse Ihres Kontos ein. Sie bekommen einen Link für ein neues Passwort.',
  'forgotten.send': 'Link schicken',
  'forgotten.sent': 'Wenn ein Konto diese Adresse hat, ist ein Link unterwegs. Er gilt 30 Minuten.',
  'register.waits': 'An {email} ist ein Link unterwegs. Wenn Sie ihm folgen, ist Ihr Konto da.',
  'setup.what': 'Legen Sie das erste Konto an. Es ist der Admin dieses Dienstes und kann andere einladen.',
  'setup.over':
    'Dieser Link geht nicht: Er ist zu alt, oder es gibt schon einen Admin. Melden Sie sich an, oder holen Sie einen neuen Link mit „stoa admin link“.',
  'setup.action': 'Admin anlegen',
  'sign_in.link': 'Zur Anmeldung',
};
