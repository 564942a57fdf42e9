/** Every mail, and the values that its template may name in addition to `public_url`. */
export const MAILS = {
  password_reset: ['username', 'token'],
  password_changed: ['username'],
  passkey_added: ['username'],
  passkey_removed: ['username'],
  totp_enabled: ['username'],
  totp_disabled: ['username'],
  recovery_codes_created: ['username'],
  recovery_code_used: ['username', 'left'],
  personal_token_created: ['username'],
  registration: ['username', 'token'],
  registration_attempted: ['username'],
  email_verification: ['username', 'token'],
  email_change: ['username', 'token'],
  email_changed: ['username', 'token'],
  email_changed_by_admin: ['username'],
  /** `username` is the admin who invites. `email` is the invited address, percent-encoded for a link. */
  invitation: ['username', 'token', 'email'],
  account_closed: ['username', 'removed_at'],
  account_restored: ['username'],
  webhook_paused: ['username', 'webhook', 'reason'],
} as const satisfies Record<string, readonly string[]>;
export type TemplateName = keyof typeof MAILS;

/** A mail before its values are filled in: "{{username}}" stands for the value of that name. */
export interface Template {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}
export type Templates = Readonly<Record<TemplateName, Template>>;

export type Values = Readonly<Record<string, string>>;

/** Values that no person has chosen. All others are names, and must never become links. */
const OURS: ReadonlySet<string> = new Set([
  'public_url',
  'token',
  'email',
  'left',
  'removed_at',
  'webhook',
  'reason',
]);

/** Characters that join the parts of a web address, a mailbox or a file server. */
const JOINS = /[.\u3002@:\\]/;
const PLACE = /\{\{\s*(\w+)\s*\}\}/g;
/** In a subject they could begin another header, and in a text another line. */
const CONTROL = /\p{Cc}/gu;
const ESCAPED: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Makes a template from its two files. The text begins with "Subject: ..." and an empty line. Fails with an Error that
 * says what is wrong, after the name of the file.
 */
export function parseTemplate(name: TemplateName, { text, html }: Record<'text' | 'html', string>): Template {
  const [, subject, body] = /^Subject: (\S[^\r\n]*)\r?\n\r?\n(.+)$/s.exec(text) ?? [];
  if (subject === undefined || body === undefined)
    throw new Error('must begin with a line "Subject: ..." and an empty line, before its text.');
  const known: readonly string[] = [...MAILS[name], 'public_url'];
  for (const [, place = ''] of [...text.matchAll(PLACE), ...html.matchAll(PLACE)])
    if (!known.includes(place))
      throw new Error(`must name none but {{${known.join('}}, {{')}}}, not {{${place}}}.`);
  return { subject, text: body, html };
}

/** The mail with its values. Values are escaped, and no name becomes a link (docs/decisions/addresses-and-mail.md). */
export function render({ subject, text, html }: Template, values: Values): Template {
  const plain = (name: string) => {
    const value = (values[name] ?? '').replace(CONTROL, ' ');
    return OURS.has(name) ? value : unlinked(value);
  };
  const escaped = (name: string) => plain(name).replace(/[&<>"']/g, (each) => ESCAPED[each] ?? each);
  return {
    subject: subject.replace(PLACE, (_, name) => plain(name)),
    text: text.replace(PLACE, (_, name) => plain(name)),
    html: html.replace(PLACE, (_, name) => escaped(name)),
  };
}

/**
 * Writes a name so that no mail program makes a link of it: `www[.]example[.]com`, as reports of abuse write such
 * addresses ("defanged"). Characters beyond ASCII that browsers read as one of these join too, so each is checked in
 * its NFKC form. A character before white space joins nothing, but at the end of the name it may, because a template
 * can have text right after it.
 */
function unlinked(name: string): string {
  return name.replace(/\S(?!\s)/gu, (each) => (JOINS.test(each.normalize('NFKC')) ? `[${each}]` : each));
}
