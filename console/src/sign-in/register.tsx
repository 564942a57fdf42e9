import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { useRef } from 'preact/hooks';
import { Form, type Values } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { go } from '../shell/router.ts';
import { authSettings, signedIn } from '../shell/session.ts';
import { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';
import { NewAccount } from './new-account.tsx';

/** Makes an account, and signs in to it, unless its address has to be proved first. */
export default function Register() {
  const waitsFor = useSignal<string | undefined>(undefined);
  /** The account that is made, and that another submit only signs in to. */
  const made = useRef<{ readonly username: string; readonly password: string } | undefined>(undefined);
  const register = async (values: Values): Promise<AnyFailure | undefined> => {
    const { username = '', email = '', password = '' } = values;
    if (!made.current) {
      const done = await stoa.call('register', { body: { username, email, password } });
      if (!done.ok) return done;
      if ('status' in done.data) {
        waitsFor.value = email;
        return undefined;
      }
      made.current = { username, password };
    }
    const result = await stoa.signIn(made.current);
    if (!result.ok) return result;
    go('/', { replace: true });
    return signedIn();
  };
  const mode = authSettings()?.registration;
  return (
    <>
      <h1>{text('register')}</h1>
      {mode !== 'open' && <Notice>{text(mode === 'invite' ? 'sign_in.invite' : 'sign_in.closed')}</Notice>}
      {waitsFor.value !== undefined && (
        <Notice kind="good">{text('register.waits', { email: waitsFor.value })}</Notice>
      )}
      {mode === 'open' && waitsFor.value === undefined && (
        <Form action={text('register')} onSubmit={register}>
          <NewAccount />
        </Form>
      )}
      <ul class="door-links">
        <li>
          <a href="./">{text('sign_in.link')}</a>
        </li>
      </ul>
    </>
  );
}
