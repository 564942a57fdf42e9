import { isBuilt } from '../../scripts/sources.ts';

/** The bundle that `npm start` and `npm run stoa` run. `npm run test:unit` makes the bundle first. */
export const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;

/** What `npm start` gives to Node.js. */
export const SERVE = ['--max-semi-space-size=8', MAIN, 'serve'];

// Tests of another program than the one in src/ would fail, or pass, for reasons that nobody finds.
if (!isBuilt()) {
  throw new Error('dist/ was made of other sources than those of now: run "npm run build" and test again.');
}
