import { hash } from 'node:crypto';
import type { App } from '../http/server.ts';

const STYLE = 'body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem}';

/** The token stands behind the "#" of the address, which a browser sends to nobody. */
const SCRIPT = `
const form = document.querySelector('form');
const button = document.querySelector('button');
const answer = document.querySelector('output');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  button.disabled = true;
  const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
  const password = new FormData(form).get('password');
  try {
    const response = await fetch('api/auth/password/reset', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, password }),
    });
    const { code, message } = await response.json();
    answer.textContent = code === 200 ? 'You have a new password, and can log in with it.' : message;
    form.hidden = code === 200;
  } catch {
    answer.textContent = 'The service cannot be reached; try again.';
  }
  button.disabled = false;
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Choose a new password</title>
<style>${STYLE}</style>
</head>
<body>
<h1>Choose a new password</h1>
<form>
<p><label>New password<br><input type="password" name="password" autocomplete="new-password" required autofocus></label></p>
<p><button>Save</button></p>
</form>
<p><output></output></p>
<noscript><p>This page needs JavaScript.</p></noscript>
<script>${SCRIPT}</script>
</body>
</html>
`;

const POLICY = `default-src 'none'; style-src '${sourceOf(STYLE)}'; script-src '${sourceOf(SCRIPT)}'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

/** The page that the link of a mail leads to, unless a template of the operator leads elsewhere. */
export function resetPageRoute(app: App): void {
  const hidden = { config: { access: 'public' as const }, schema: { hide: true } };
  app.get('/reset-password', hidden, async (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  );
}

/** What a policy lets run: this text and no other. */
function sourceOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`;
}
