import type { AnyFailure } from '@stoa/client';
import { stoa } from '../stoa.ts';
import { type Asking, signInAgain } from './session.ts';

type Call = typeof stoa.call;

/** A call that asks for a sign-in in place where it needs one, and then is sent once more. */
export const ask: Call = async (operation, ...input) => {
  const result = await stoa.call(operation, ...input);
  // The failures of all operations have a name, which the type of any one operation does not say.
  const why = result.ok ? undefined : whyOf(result as AnyFailure);
  if (why === undefined) return result;
  return (await signInAgain(why)) ? stoa.call(operation, ...input) : result;
};

function whyOf({ status, error }: AnyFailure): Asking | undefined {
  if (error.error === 'recent_sign_in_required') return 'recent';
  return status === 401 && error.error.startsWith('token_') ? 'ended' : undefined;
}
