const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;

/** What `npm start` runs. */
export const SERVE = ['--max-semi-space-size=4', MAIN, 'serve'];
