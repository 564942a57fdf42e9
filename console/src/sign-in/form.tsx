import { useSignal } from '@preact/signals';
import type { AnyFailure, Failure } from '@stoa/client';
import { Field } from '../parts/field.tsx';
import { Form, type Values } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { authSettings } from '../shell/session.ts';
import { stoa } from '../stoa.ts';
import { type TextKey, text } from '../text/text.ts';
import { hasPasskeys } from './passkey.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { Refused } from './refused.tsx';
import { SecondFactor } from './second-factor.tsx';

/** Returns what went wrong. */
export type Done = () => Promise<AnyFailure | undefined>;
type Challenge = Extract<Failure<'login'>, { status: 401 }>['error'];

interface Props {
  /** Who signs in again, if the name is still the same. */
  readonly username?: string | undefined;
  /** After the sign-in. Its failure is shown. */
  readonly onDone: Done;
}

/** Signs in, step by step: the password or a passkey, then what the service asks for. */
export function SignInForm({ username, onDone }: Props) {
  const challenge = useSignal<Challenge | undefined>(undefined);
  const refused = useSignal<{ readonly why: string; readonly values: Values } | undefined>(undefined);
  const said = useSignal<TextKey | undefined>(undefined);

  const signIn = async (values: Values): Promise<AnyFailure | undefined> => {
    const { username: name = '', password = '' } = values;
    said.value = undefined;
    refused.value = undefined;
    const result = await stoa.signIn({ username: name, password });
    if (result.ok) return onDone();
    if (result.status === 401 && result.error.error === 'second_factor_required')
      challenge.value = result.error;
    else if (REFUSALS.includes(result.error.error)) refused.value = { why: result.error.error, values };
    else return result;
    return undefined;
  };

  if (challenge.value)
    return (
      <SecondFactor
        challenge={challenge.value}
        onDone={onDone}
        onOver={(why) => {
          challenge.value = undefined;
          said.value = why;
        }}
      />
    );
  return (
    <>
      {said.value && <Notice kind="warn">{text(said.value)}</Notice>}
      <Form onSubmit={signIn} action={text('sign_in')}>
        <Field
          label={text('sign_in.name')}
          name="username"
          value={username}
          autocomplete="username"
          isFirst={username === undefined}
        />
        <Field
          label={text('password')}
          name="password"
          type="password"
          autocomplete="current-password"
          isFirst={username !== undefined}
        />
        {refused.value && <Refused {...refused.value} onAgain={() => signIn(refused.value?.values ?? {})} />}
      </Form>
      {authSettings()?.passkeys && hasPasskeys() && <PasskeyButton onDone={onDone} />}
    </>
  );
}

/** What is no mistake of the person, and has a way out. */
const REFUSALS: readonly string[] = ['account_closed', 'password_change_required', 'email_not_verified'];
