export { ask, read } from '../shell/ask.ts';

/** A name for a request, so that it is made once however often it is sent. At a plain HTTP address there is no randomUUID. */
export const onceKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');
