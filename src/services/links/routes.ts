import { PUBLIC_PAGE } from '../../http/declaration.ts';
import type { App } from '../../http/server.ts';
import { mailPage, PAGE_POLICY } from './page.ts';

const pagesOf = (hasConsole: boolean) => ({
  '/reset-password': mailPage({
    title: 'Choose a new password',
    fields: [{ label: 'New password', name: 'new_password', type: 'password', autocomplete: 'new-password' }],
    button: 'Save',
    path: 'api/auth/password/reset',
    done: 'You have a new password, and can log in with it.',
  }),
  '/verify-email': mailPage({
    title: 'Confirm your e-mail address',
    text: 'Confirm that the address to which this link was mailed is yours, and that the user name in the mail is the one that you chose.',
    button: 'Confirm',
    path: 'api/auth/email/verify',
    done: 'Your address is confirmed, and you can log in.',
  }),
  '/confirm-email': mailPage({
    title: 'Confirm your new e-mail address',
    text: 'Your account gets the address to which this link was mailed.',
    button: 'Confirm',
    path: 'api/auth/email/confirm',
    done: 'Your account has the new address.',
  }),
  '/revert-email': mailPage({
    title: 'Take your e-mail address back',
    text: 'Your account gets back the address to which this link was mailed. Everybody who is logged in to it is logged out, and its password ends.',
    button: 'Take it back',
    path: 'api/auth/email/revert',
    done: 'Your account has its address again. If no link to choose a new password is mailed to it, ask for one, or ask an admin.',
  }),
  '/accept-invitation': mailPage({
    title: 'Make your account',
    text: 'The e-mail address is the one to which this link was mailed.',
    fields: [
      { label: 'E-mail address', name: 'email', type: 'email', autocomplete: 'email', isInLink: true },
      { label: 'User name', name: 'username', type: 'text', autocomplete: 'username' },
      { label: 'Password', name: 'password', type: 'password', autocomplete: 'new-password' },
    ],
    button: 'Make the account',
    path: 'api/auth/register',
    token: 'invitation',
    done: 'You have an account, and can log in.',
    // Whom an admin invites works in the console.
    ...(hasConsole && { next: { label: 'Sign in', path: 'console/' } }),
  }),
  '/restore-account': mailPage({
    title: 'Take your account back',
    text: 'Your closed account is opened again. Nobody is logged in by that.',
    fields: [
      { label: 'User name or e-mail address', name: 'username', type: 'text', autocomplete: 'username' },
      { label: 'Password', name: 'password', type: 'password', autocomplete: 'current-password' },
    ],
    button: 'Take it back',
    path: 'api/auth/restore',
    token: null,
    done: 'Your account is open again, and you can log in.',
  }),
});

/** The pages behind mailed links. They are there even if the operator's templates lead elsewhere. */
export function mailPageRoutes(
  app: App,
  { config }: { readonly config: { readonly console: boolean } },
): void {
  const hidden = { config: PUBLIC_PAGE, schema: { hide: true } };
  for (const [path, page] of Object.entries(pagesOf(config.console)))
    app.get(path, hidden, async (_request, reply) =>
      reply.header('content-security-policy', PAGE_POLICY).type('text/html; charset=utf-8').send(page),
    );
}
