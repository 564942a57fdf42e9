import type { errors as english } from './errors.en.ts';

export const errors: Record<keyof typeof english, string> = {
  'error.bad_credentials': 'Der Benutzername oder das Passwort ist falsch.',
  'error.code_invalid': 'Das wurde nicht angenommen. Versuchen Sie es mit einem neuen Code.',
  'error.passkey_refused': 'Dieser Passkey wurde nicht angenommen. Melden Sie sich auf andere Weise an.',
  'error.too_many_requests': 'Zu viele Versuche. Versuchen Sie es in {wait} noch einmal.',
  'error.network': 'Es gibt keine Verbindung. Prüfen Sie sie und versuchen Sie es noch einmal.',
  'error.busy': 'Der Dienst ist beschäftigt. Versuchen Sie es gleich noch einmal.',
  'error.unavailable': 'Der Dienst kann das gerade nicht. Versuchen Sie es gleich noch einmal.',
  'error.internal': 'Im Dienst ist etwas schiefgegangen. Versuchen Sie es noch einmal.',
  'error.not_found': 'Das gibt es nicht mehr.',
  'error.link_invalid': 'Dieser Link wurde schon benutzt oder ist zu alt.',
  'error.last_admin': 'Das ist der letzte Admin. Ernennen Sie zuerst einen anderen.',
  'error.no_mail': 'Dieser Dienst verschickt keine Mails. Fragen Sie die Betreiber.',
  'error.no_passkeys': 'Dieser Dienst hat keine Passkeys.',
  'error.registration_closed': 'Hier kann niemand ein Konto anlegen.',
  'error.request_in_progress': 'Dasselbe läuft schon. Versuchen Sie es noch einmal, wenn es zu Ende ist.',
  'error.recent_sign_in_required': 'Melden Sie sich dafür noch einmal an.',
  'error.second_factor_setup_required': 'Richten Sie zuerst einen zweiten Faktor ein.',
  'error.field.username.unique': 'Dieser Benutzername ist vergeben. Wählen Sie einen anderen.',
  'error.field.email.unique': 'Ein Konto hat diese Adresse schon.',
  'error.field.email.format': 'Das ist keine E-Mail-Adresse.',
};
