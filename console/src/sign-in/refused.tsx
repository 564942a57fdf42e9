import { useSignal } from '@preact/signals';
import type { AnyFailure } from '@stoa/client';
import { failureText } from '../parts/failure.ts';
import type { Values } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { askedToSignIn, authSettings } from '../shell/session.ts';
import { stoa } from '../stoa.ts';
import { text } from '../text/text.ts';

interface Props {
  /** The name of the failure. */
  readonly why: string;
  readonly values: Values;
  readonly onAgain: () => Promise<AnyFailure | undefined>;
}

/** The password was right, and something else is in the way. Says what to do. */
export function Refused({ why, values, onAgain }: Props) {
  const problem = useSignal<AnyFailure | undefined>(undefined);
  const takeBack = async () => {
    const { username = '', password = '' } = values;
    const result = await stoa.call('restoreAccount', { body: { username, password } });
    problem.value = result.ok ? await onAgain() : result;
  };
  return (
    <Notice kind="warn">
      {why === 'account_closed' && (
        <>
          <p>{text('refused.closed')}</p>
          <button type="button" class="button" onClick={() => void takeBack()}>
            {text('refused.closed.take_back')}
          </button>
        </>
      )}
      {why === 'password_change_required' && (
        <>
          <p>{text('refused.password')}</p>
          {authSettings()?.mail && (
            // Behind a sign-in in place is a view whose text has to stay.
            <a
              class="button"
              href="forgotten"
              {...(askedToSignIn() && { target: '_blank', rel: 'noopener' })}
            >
              {text('refused.password.link')}
            </a>
          )}
        </>
      )}
      {why === 'email_not_verified' && <p>{text('refused.address')}</p>}
      {problem.value && <p class="field-problem">{failureText(problem.value)}</p>}
    </Notice>
  );
}
