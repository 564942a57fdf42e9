import { render } from 'preact';
import { App } from './shell/app.tsx';
import { startRouter } from './shell/router.ts';
import { followSession, startSession } from './shell/session.ts';
import { startLanguage } from './text/text.ts';

const place = document.getElementById('console');
if (place) {
  startRouter();
  followSession();
  await Promise.all([startLanguage(), startSession()]);
  render(<App />, place);
}
