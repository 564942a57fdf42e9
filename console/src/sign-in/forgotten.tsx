import { useSignal } from '@preact/signals';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';

/** Mails a link to choose a new password. The answer tells nobody who has an account. */
export default function Forgotten() {
  const isSent = useSignal(false);
  return (
    <>
      <h1>{text('forgotten')}</h1>
      {isSent.value ? (
        <Notice kind="good">{text('forgotten.sent')}</Notice>
      ) : (
        <Form
          action={text('forgotten.send')}
          onSubmit={async ({ email = '' }) => {
            const result = await stoa.call('forgetPassword', { body: { email } });
            isSent.value = result.ok;
            return result.ok ? undefined : result;
          }}
        >
          <p>{text('forgotten.what')}</p>
          <Field label={text('email')} name="email" type="email" autocomplete="email" isFirst />
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
