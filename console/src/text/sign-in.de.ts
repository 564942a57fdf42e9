import type { signIn as english } from './sign-in.en.ts';

export const signIn: Record<keyof typeof english, string> = {
  sign_in: 'Anmelden',
  'sign_in.name': 'Benutzername oder E-Mail',
  'sign_in.plain_http':
    'Diese Adresse ist HTTP ohne TLS: Andere können Ihr Passwort lesen, und ein Neuladen vergisst die Anmeldung. Benutzen Sie https.',
  'sign_in.invite': 'Für ein neues Konto brauchen Sie eine Einladung per Mail.',
  'sign_in.closed': 'Neue Konten legt ein Admin an.',
  username: 'Benutzername',
  email: 'E-Mail',
  password: 'Passwort',
  'password.show': 'Zeigen',
  'password.hint': 'Mindestens {min} Zeichen. Lang ist besser als kompliziert.',
  'passkey.use': 'Passkey benutzen',
  'passkey.none': 'Es wurde kein Passkey benutzt. Versuchen Sie es noch einmal oder auf anderem Weg.',
  'second_factor.totp': 'Code Ihrer App',
  'second_factor.totp.what': 'Geben Sie die sechs Ziffern ein, die Ihre Authenticator-App zeigt.',
  'second_factor.totp.instead': 'Authenticator-App benutzen',
  'second_factor.recovery_code': 'Wiederherstellungscode',
  'second_factor.recovery_code.what':
    'Geben Sie einen der Codes ein, die Sie aufbewahrt haben. Jeder gilt einmal.',
  'second_factor.recovery_code.instead': 'Wiederherstellungscode benutzen',
  'second_factor.passkey': 'Passkey',
  'second_factor.passkey.what': 'Bestätigen Sie mit einem Passkey Ihres Kontos.',
  'second_factor.passkey.instead': 'Passkey benutzen',
  'second_factor.over':
    'Das hat zu lange gedauert oder wurde zu oft versucht. Melden Sie sich noch einmal an.',
  'refused.closed': 'Dieses Konto ist geschlossen und wird bald entfernt. Sie können es noch zurückholen.',
  'refused.closed.take_back': 'Zurückholen',
  'refused.password': 'Ein Admin verlangt ein neues Passwort von Ihnen.',
  'refused.password.link': 'Link per Mail anfordern',
  'refused.address':
    'Ihre Adresse ist noch nicht bestätigt. Folgen Sie dem Link in der Mail an Sie, und melden Sie sich dann an. Kam keine Mail, fragen Sie die Betreiber dieses Dienstes.',
  forgotten: 'Neues Passwort',
  'forgotten.link': 'Passwort vergessen?',
  'forgotten.no_mail': 'Passwort vergessen? Fragen Sie die Betreiber dieses Dienstes.',
  register: 'Konto anlegen',
  'register.link': 'Konto anlegen',
  setup: 'Willkommen bei Stoa',
};
