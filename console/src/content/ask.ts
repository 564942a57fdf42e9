export { ask, read } from '../shell/ask.ts';

/** A name for a request, so that it is made once however often it is sent. */
export const onceKey = () => crypto.randomUUID();
