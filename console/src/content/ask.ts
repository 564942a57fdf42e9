import { signInAgain, stoa } from './shell.ts';

type Call = typeof stoa.call;

/** A request that signs in again in place where the session has ended, and then is sent once more. */
export const ask: Call = async (operation, ...input) => {
  const result = await stoa.call(operation, ...input);
  if (result.ok || result.status !== 401) return result;
  return (await signInAgain()) ? stoa.call(operation, ...input) : result;
};

/** A name for a request, so that it is made once however often it is sent. */
export const onceKey = () => crypto.randomUUID();
