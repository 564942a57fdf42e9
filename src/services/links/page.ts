import { hash } from 'node:crypto';

/** The colours are those of the console (console/src/style/colours.css), which the page does not load. */
const STYLE = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif;
  background: light-dark(#f6f6f3, #131513); color: light-dark(#1a1d1b, #eceeea); }
body { max-width: 20rem; margin: 4rem auto; padding: 1rem 2rem 2rem; border-radius: 1rem;
  border: 1px solid light-dark(#dddfd7, #373d39); background: light-dark(#ffffff, #1b1e1c); }
h1 { font-size: 1.5rem; line-height: 1.25; }
input, button, .button { box-sizing: border-box; width: 100%; padding: 0.5rem 0.75rem; border-radius: 0.5rem; font: inherit; }
input { margin-top: 0.25rem; border: 1px solid light-dark(#84877f, #7c857e); background: transparent; color: inherit; }
button, .button { display: block; border: 1px solid transparent; text-align: center; text-decoration: none;
  background: light-dark(#0f6b63, #63d2c3); color: light-dark(#ffffff, #06211d); }
:focus-visible { outline: 2px solid light-dark(#0f6b63, #63d2c3); outline-offset: 2px; }
[hidden] { display: none; }
@media (max-width: 25rem) { body { margin: 1rem; padding: 0.5rem 1rem 1rem; } }
`;

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
    for (const next of document.querySelectorAll('.button')) next.hidden = code !== 200;
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
  /** Where to go then: a path without a slash at its beginning. */
  readonly next?: { readonly label: string; readonly path: string };
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
  next,
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
${next ? `<a class="button" href="${next.path}" hidden>${next.label}</a>\n` : ''}<noscript><p>This page needs JavaScript.</p></noscript>
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
