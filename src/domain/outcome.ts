import { Failure, type FailureData } from './failure.ts';
import { OperatorError } from './operator-error.ts';

/** The result of an operation, or why it failed, as plain data that can cross threads. */
export type Outcome =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly failure: FailureData; readonly cause?: string | undefined }
  | { readonly ok: false; readonly forOperator: string }
  | { readonly ok: false; readonly fault: string };

/** The outcome of work. Never fails. */
export async function outcomeOf(work: () => unknown): Promise<Outcome> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    return failed(error);
  }
}

/** The outcome of an operation that threw this error. */
export function failed(error: unknown): Outcome {
  if (error instanceof Failure) {
    const cause = error.cause instanceof Error ? error.cause.message : undefined;
    return { ok: false, failure: error.data, cause };
  }
  if (error instanceof OperatorError) return { ok: false, forOperator: error.message };
  return { ok: false, fault: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** The inverse of `failed`: the error to throw in the thread that made the call. */
export function errorOf(outcome: Exclude<Outcome, { ok: true }>): Error {
  if ('failure' in outcome) return new Failure(outcome.failure, outcome.cause);
  if ('forOperator' in outcome) return new OperatorError(outcome.forOperator);
  return new Error(`An operation failed in its thread: ${outcome.fault}`);
}

export function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null || !('ok' in value)) return false;
  if (value.ok === true) return true;
  return value.ok === false && ('failure' in value || 'forOperator' in value || 'fault' in value);
}
