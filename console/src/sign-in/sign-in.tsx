import { Notice } from '../parts/notice.tsx';
import { authSettings, signedIn } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { SignInForm } from './form.tsx';

/** The page of those who are not signed in. The address stays: it is where they get after the sign-in. */
export function SignIn() {
  const { registration, mail } = authSettings() ?? {};
  return (
    <>
      <h1>{text('sign_in')}</h1>
      {/* There the browser keeps no cookie that is `Secure`, which the session is in. */}
      {!isSecureContext && (
        <Notice kind="warn">
          <p>{text('sign_in.plain_http')}</p>
        </Notice>
      )}
      <SignInForm onDone={signedIn} />
      <ul class="door-links">
        {mail && (
          <li>
            <a href="forgotten">{text('forgotten.link')}</a>
          </li>
        )}
        {registration === 'open' && (
          <li>
            <a href="register">{text('register.link')}</a>
          </li>
        )}
        {registration === 'invite' && <li>{text('sign_in.invite')}</li>}
        {registration === 'closed' && <li>{text('sign_in.closed')}</li>}
        {mail === false && <li>{text('forgotten.no_mail')}</li>}
      </ul>
    </>
  );
}
