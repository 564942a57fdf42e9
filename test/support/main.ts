/** The bundle that `npm start` and `npx stoa` run; `npm run test:unit` makes it first. */
export const MAIN = new URL('../../dist/main.js', import.meta.url).pathname;
