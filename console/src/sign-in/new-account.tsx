import { Field } from '../parts/field.tsx';
import { authSettings } from '../shell/session.ts';
import { text } from '../text/text.ts';

/** The fields of a new account. */
export function NewAccount() {
  const { username_length: name, password_length: password } = authSettings() ?? {};
  return (
    <>
      <Field
        label={text('username')}
        name="username"
        autocomplete="username"
        minLength={name?.min}
        maxLength={name?.max}
        isFirst
      />
      <Field label={text('email')} name="email" type="email" autocomplete="email" />
      <Field
        label={text('password')}
        name="password"
        type="password"
        autocomplete="new-password"
        minLength={password?.min}
        hint={text('password.hint', { min: password?.min ?? 8 })}
      />
    </>
  );
}
