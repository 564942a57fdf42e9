import type { AnyFailure } from './result.ts';

/** A failure where there is no result to return it in. */
export class FailureError extends Error {
  readonly failure: AnyFailure;

  constructor(name: string, failure: AnyFailure) {
    super(failure.error.message);
    this.name = name;
    this.failure = failure;
  }
}
