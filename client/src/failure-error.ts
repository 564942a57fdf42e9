import type { AnyFailure } from './result.ts';

/** A failure where there is no result to return it in. */
export class FailureError extends Error {
  readonly failure: AnyFailure;

  constructor(name: string, failure: AnyFailure) {
    // With its `cause`.
    super(failure.error.message, failure);
    this.name = name;
    this.failure = failure;
  }
}
