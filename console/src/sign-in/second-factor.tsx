import { useSignal } from '@preact/signals';
import type { AnyFailure, Failure } from '@stoa/client';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { stoa } from '../stoa.ts';
import { type TextKey, text } from '../text/text.ts';
import type { Done } from './form.tsx';
import { getPasskey, hasPasskeys, passkeyFailure } from './passkey.ts';

type Challenge = Extract<Failure<'login'>, { status: 401 }>['error'];
type Method = 'totp' | 'passkey' | 'recovery_code';

interface Props {
  readonly challenge: Challenge;
  readonly onDone: Done;
  /** The challenge is of no use any more. */
  readonly onOver: (why: TextKey | undefined) => void;
}

/** The second step of a sign-in: by an authenticator app, a passkey or a recovery code. */
export function SecondFactor({ challenge: asked, onDone, onOver }: Props) {
  const { challenge = '', methods = [], passkey } = asked;
  const has = methods.filter((method) => method !== 'passkey' || (passkey && hasPasskeys()));
  const method = useSignal<Method>(has[0] ?? 'recovery_code');

  const complete = async (answer: object): Promise<AnyFailure | undefined> => {
    const result = await stoa.completeSignIn('completeLogin', { challenge, ...answer });
    if (result.ok) return onDone();
    if (result.error.error !== 'challenge_invalid') return result;
    onOver('second_factor.over');
    return undefined;
  };
  const submit = async ({ code = '' }: Readonly<Record<string, string>>) => {
    if (method.peek() !== 'passkey') return complete({ code: code.replaceAll(/\s/g, '') });
    if (!passkey) return undefined;
    const used = await getPasskey(passkey);
    if ('ok' in used) return used;
    const failure = await complete({ response: used });
    return failure && passkeyFailure(failure);
  };

  const { value } = method;
  return (
    <div class="form">
      <p>{text(`second_factor.${value}.what`)}</p>
      <Form
        key={value}
        onSubmit={submit}
        action={text(value === 'passkey' ? 'passkey.use' : 'sign_in')}
        others={
          <button type="button" class="button button-quiet" onClick={() => onOver(undefined)}>
            {text('back')}
          </button>
        }
      >
        {value !== 'passkey' && (
          <Field
            label={text(`second_factor.${value}`)}
            name="code"
            autocomplete="one-time-code"
            isFirst
            {...(value === 'totp' && { inputMode: 'numeric' as const })}
          />
        )}
      </Form>
      {has
        .filter((other) => other !== value)
        .map((other) => (
          <button
            key={other}
            type="button"
            class="link"
            onClick={() => {
              method.value = other;
            }}
          >
            {text(`second_factor.${other}.instead`)}
          </button>
        ))}
    </div>
  );
}
