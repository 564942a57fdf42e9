import { useSignal } from '@preact/signals';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { ask } from '../shell/ask.ts';
import { account, authSettings } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { Factors } from './factors.tsx';
import { AccountPage } from './page.tsx';
import { Passkeys } from './passkeys.tsx';

/** The password and the second factors of the own account. */
export default function Security() {
  // The first passkey makes recovery codes possible, and the last factor takes them along.
  const passkeyChanges = useSignal(0);
  return (
    <AccountPage title="account.security">
      <Password />
      <Factors passkeyChanges={passkeyChanges.value} />
      {authSettings()?.passkeys && <Passkeys onChange={() => passkeyChanges.value++} />}
    </AccountPage>
  );
}

function Password() {
  const isDone = useSignal(false);
  const { password_length: length } = authSettings() ?? {};
  return (
    <Section title={text('password.change')} what={text('password.change.what')}>
      <Form
        isEmptied
        action={text('password.change.action')}
        onSubmit={async ({ current_password = '', new_password = '' }) => {
          const result = await ask('changePassword', { body: { current_password, new_password } });
          if (!result.ok) return result;
          isDone.value = true;
          return undefined;
        }}
      >
        <input
          type="text"
          name="username"
          autocomplete="username"
          defaultValue={account()?.username}
          hidden
          readOnly
        />
        <Field
          label={text('password.current')}
          name="current_password"
          type="password"
          autocomplete="current-password"
        />
        <Field
          label={text('password.new')}
          name="new_password"
          type="password"
          autocomplete="new-password"
          minLength={length?.min}
          hint={text('password.hint', { min: length?.min ?? 8 })}
        />
      </Form>
      {isDone.value && <Notice kind="good">{text('password.changed')}</Notice>}
    </Section>
  );
}
