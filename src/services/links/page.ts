import { hash } from 'node:crypto';

const STYLE = 'body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem}';

/**
 * The token is after the "#" of the address, which browsers send to no server. Opening the page changes nothing,
 * because mail scanners open links too. Only the button does.
 */
const SCRIPT = `
const form = document.querySelector('form');
const button = document.querySelector('button');
const answer = document.querySelector('output');
const link = new URLSearchParams(location.hash.slice(1));
for (const field of document.querySelectorAll('[data-in-link]')) field.value = link.get(field.name) ?? '';
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  const token = form.dataset.token ? { [form.dataset.token]: link.get('token') ?? '' } : {};
  try {
    const response = await fetch(form.dataset.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...token, ...Object.fromEntries(new FormData(form)) }),
    });
    const { code, message } = await response.json();
    answer.textContent = code === 200 ? form.dataset.done : message;
    form.hidden = code === 200;
  } catch {
    answer.textContent = 'The service cannot be reached; try again.';
  }
  button.disabled = false;
});
`;

/** Allows only the style and the script of the page. */
export const PAGE_POLICY = `default-src 'none'; style-src '${sourceOf(STYLE)}'; script-src '${sourceOf(SCRIPT)}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface MailPage {
  readonly title: string;
  /** One sentence about the button. Left out if the fields explain it. */
  readonly text?: string;
  /** Text fields. Each is sent as the member of its name. */
  readonly fields?: readonly PageField[];
  readonly button: string;
  /** The path of the operation that takes the link, without a slash at its beginning. */
  readonly path: string;
  /** The member of the body that has the token. Null if the link has no token. */
  readonly token?: string | null;
  /** Shown when the operation was done. */
  readonly done: string;
}

interface PageField {
  readonly label: string;
  readonly name: string;
  readonly type: 'text' | 'email' | 'password';
  readonly autocomplete: string;
  /** True if the link has the value, under the name of the field. */
  readonly isInLink?: true;
}

/** The page behind a mailed link. None of its text comes from a user. */
export function mailPage({
  title,
  text,
  fields = [],
  button,
  path,
  token = 'token',
  done,
}: MailPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<form data-path="${path}" data-token="${token ?? ''}" data-done="${done}">
${text === undefined ? '' : `<p>${text}</p>\n`}${fields.map(fieldOf).join('')}<p><button>${button}</button></p>
</form>
<p><output></output></p>
<noscript><p>This page needs JavaScript.</p></noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function fieldOf({ label, name, type, autocomplete, isInLink }: PageField): string {
  const filled = isInLink ? ' data-in-link' : '';
  return `<p><label>${label}<br><input type="${type}" name="${name}" autocomplete="${autocomplete}" required${filled}></label></p>\n`;
}

/** The source of a policy that allows exactly this text. */
function sourceOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`;
}
