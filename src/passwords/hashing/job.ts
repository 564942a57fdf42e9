/**
 * How many jobs a thread is given at once, and answers together, while many wait. The rest of a login (messages, a
 * session, a commit) then costs a third, because it is done for several logins while it is in the processor's caches.
 */
export const TOGETHER = 4;

/** What a hashing thread does: it makes a hash, or checks whether a password belongs to a hash. */
export type HashingJob =
  | { readonly kind: 'hash'; readonly password: string }
  | {
      readonly kind: 'verify';
      readonly password: string;
      readonly hash: string;
      /** The password before it was made NFC, which may belong to the hash too. */
      readonly asSent: string | undefined;
      /** Another hash to verify, only for the time that it takes. */
      readonly beside: string | undefined;
    };

/** Is the value an answer to the job: a hash, or whether the password belongs to the hash? */
export function answers(value: unknown, { kind }: HashingJob): boolean {
  return typeof value === (kind === 'hash' ? 'string' : 'boolean');
}
