import type { AnyFailure } from '@stoa/client';
import { failureText } from '../parts/failure.ts';
import { Door } from '../sign-in/door.tsx';
import { SignIn } from '../sign-in/sign-in.tsx';
import { withTexts } from '../text/more.ts';
import { text } from '../text/text.ts';
import { type View, viewAt } from '../views.ts';
import { InPlace } from './in-place.tsx';
import { Layout } from './layout.tsx';
import { hash, path } from './router.ts';
import { account, authSettings, sessionState, signInInstead, startProblem, startSession } from './session.ts';
import { Shown } from './shown.tsx';
import { useTitle } from './title.ts';

const SETUP = /^#setup=(.+)$/;
const setup: View = {
  path: '/',
  title: 'setup',
  needs: 'nobody',
  load: withTexts(['door'], () => import('../sign-in/setup.tsx')),
};

/** The whole page: a view in the frame of the console, or in front of its door. */
export function App() {
  const [state, problem] = [sessionState(), startProblem()];
  const setupToken = SETUP.exec(hash.value)?.[1];
  if (state === 'signed-out' && problem) return <Failed problem={problem} />;
  if (setupToken !== undefined && state === 'signed-out')
    return (
      <Door>
        <Shown view={setup} params={{ token: setupToken }} />
      </Door>
    );
  if (state !== 'signed-in') return <Outside />;
  return (
    <>
      <Layout>
        <Inside />
      </Layout>
      <InPlace />
    </>
  );
}

function Outside() {
  const found = viewAt(path.value);
  const isOpen = found?.view.needs === 'nobody';
  useTitle(isOpen ? undefined : 'sign_in');
  return <Door>{found && isOpen ? <Shown {...found} /> : <SignIn />}</Door>;
}

/** The view of the address, or why it is not shown. */
function Inside() {
  const me = account();
  const found = viewAt(path.value);
  const required = authSettings()?.mfa_required;
  const isObstructed =
    me && !me.second_factor && (required === 'all' || (required === 'admins' && me.role === 'admin'));
  if (isObstructed && found?.view.path !== '/account/security')
    return <Message title="set_up_first" what={text('set_up_first.what')} link="account/security" />;
  if (!found || found.view.needs === 'nobody')
    return <Message title="not_found" what={text('not_found.what')} link="content" />;
  if (found.view.needs === 'admin' && me?.role !== 'admin')
    return (
      <Message title="forbidden" what={text('forbidden.what', { name: me?.username ?? '' })} link="content" />
    );
  return <Shown {...found} />;
}

interface MessageProps {
  readonly title: 'not_found' | 'forbidden' | 'set_up_first';
  readonly what: string;
  /** Where to go from here. */
  readonly link: string;
}

function Message({ title, what, link }: MessageProps) {
  useTitle(title);
  return (
    <div class="message">
      <h1>{text(title)}</h1>
      <p>{what}</p>
      <p>
        <a class="button button-primary" href={link}>
          {text(`${title}.link`)}
        </a>
      </p>
    </div>
  );
}

function Failed({ problem }: { readonly problem: AnyFailure }) {
  useTitle('not_started');
  return (
    <Door>
      <h1>{text('not_started')}</h1>
      <p>{failureText(problem)}</p>
      <div class="form-actions">
        <button type="button" class="button button-primary" onClick={() => void startSession()}>
          {text('try_again')}
        </button>
        {/* Only a service that answers can sign somebody in, and that says how. */}
        {problem.status > 0 && authSettings() && (
          <button type="button" class="button" onClick={signInInstead}>
            {text('sign_in')}
          </button>
        )}
      </div>
    </Door>
  );
}
