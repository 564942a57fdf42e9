/** What the content pages take from the shell of the console, in one place. */
export { setAddress, useAddress } from '../shell/address.ts';
export { showsRead } from '../shell/ask.ts';
export { go, goFromHere } from '../shell/router.ts';
export { account, authSettings, mayChange } from '../shell/session.ts';
export { useSubject } from '../shell/title.ts';
export { stoa } from '../stoa.ts';
export { text } from '../text/text.ts';
