import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Act } from '../parts/act.tsx';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { ask, showsRead } from '../shell/ask.ts';
import { account, authSettings, readAccount } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { AccountPage } from './page.tsx';

/** The name and the address of the own account. */
export default function Profile() {
  const me = account();
  const isSaved = useSignal(false);
  useEffect(() => {
    const left = new AbortController();
    showsRead('getMe', { signal: left.signal });
    return () => left.abort();
  }, []);
  if (!me) return null;
  const save = async ({ username = '', display_name = '' }: Readonly<Record<string, string>>) => {
    isSaved.value = false;
    const body = { display_name, ...(username !== me.username && { username }) };
    const result = await ask('updateMe', { body });
    if (!result.ok) return result;
    isSaved.value = true;
    await readAccount();
    return undefined;
  };
  return (
    <AccountPage title="account">
      <Section title={text('account.profile')}>
        <Form action={text('save')} onSubmit={save}>
          <Field label={text('username')} name="username" value={me.username} hint={text('username.hint')} />
          <Field
            label={text('display_name')}
            name="display_name"
            value={me.display_name}
            autocomplete="name"
            isOptional
            hint={text('display_name.hint')}
          />
          {isSaved.value && <Notice kind="good">{text('saved')}</Notice>}
        </Form>
      </Section>
      <Address />
    </AccountPage>
  );
}

/** The address, and its change, which waits for the link of a mail. */
function Address() {
  const me = account();
  const isAsked = useSignal(false);
  if (!me) return null;
  const { email, email_verified: isProved, pending_email_change: pending } = me;
  const hasMail = authSettings()?.mail === true;
  return (
    <Section title={text('email')}>
      <p>
        {email}{' '}
        <span class={`badge ${isProved ? 'badge-good' : ''}`}>
          {text(isProved ? 'email.proved' : 'email.not_proved')}
        </span>
      </p>
      {!hasMail && <p class="muted">{text('email.no_mail')}</p>}
      {hasMail && !isProved && (
        <Act
          label={text('email.prove')}
          onAct={async () => {
            const result = await ask('requestEmailVerification');
            isAsked.value = result.ok;
            return result.ok ? undefined : result;
          }}
        />
      )}
      {pending && (
        <Notice>
          <p>{text('email.pending', { email: pending.email })}</p>
          <Act
            label={text('email.withdraw')}
            onAct={async () => {
              const result = await ask('withdrawEmailChange');
              await readAccount();
              return result.ok ? undefined : result;
            }}
          />
        </Notice>
      )}
      {isAsked.value && <Notice kind="good">{text('email.sent')}</Notice>}
      {hasMail && (
        <Form
          action={text('email.change')}
          onSubmit={async ({ email: next = '' }) => {
            const result = await ask('requestEmailChange', { body: { email: next } });
            if (!result.ok) return result;
            isAsked.value = true;
            await readAccount();
            return undefined;
          }}
        >
          <Field label={text('email.new')} name="email" type="email" hint={text('email.hint')} />
        </Form>
      )}
    </Section>
  );
}
