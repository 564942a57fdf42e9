import type { AnyFailure } from '@stoa/client';
import { useRef } from 'preact/hooks';
import { Form, type Values } from '../parts/form.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { go } from '../shell/router.ts';
import { signedIn } from '../shell/session.ts';
import { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';
import { NewAccount } from './new-account.tsx';

/** Makes the first admin by the link that the service has printed, and signs in. */
export default function Setup({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const { token = '' } = params;
  const { data, failure, isLoading, again } = useLoad(token, (signal) =>
    stoa.call('checkSetupLink', { body: { token }, signal }),
  );
  /** The account that is made, and that another submit only signs in to. */
  const made = useRef<{ readonly username: string; readonly password: string } | undefined>(undefined);
  const setUp = async (values: Values): Promise<AnyFailure | undefined> => {
    const { username = '', email = '', password = '' } = values;
    if (!made.current) {
      const done = await stoa.call('setUp', { body: { token, username, email, password } });
      if (!done.ok) return done;
      made.current = { username, password };
    }
    const result = await stoa.signIn(made.current);
    if (!result.ok) return result;
    const failure = await signedIn();
    if (!failure) go('/welcome', { replace: true });
    return failure;
  };
  return (
    <>
      <h1>{text('setup')}</h1>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data?.usable === false && (
        <>
          <p>{text('setup.over')}</p>
          <p>
            <a class="button button-primary" href="./">
              {text('sign_in')}
            </a>
          </p>
        </>
      )}
      {data?.usable && (
        <>
          <p>{text('setup.what')}</p>
          <Form action={text('setup.action')} onSubmit={setUp}>
            <NewAccount />
          </Form>
        </>
      )}
    </>
  );
}
