import type { AnyFailure } from '@stoa/client';
import { isText, text } from '../text/text.ts';
import { spanText } from './times.ts';

/** What a failure says to people: in their language where there is a text for it, else as the service says it. */
export function failureText({ error, retryAfter }: Pick<AnyFailure, 'error' | 'retryAfter'>): string {
  const key = `error.${error.error}`;
  if (retryAfter !== undefined && error.error === 'too_many_requests')
    return text('error.too_many_requests', { wait: spanText(retryAfter) });
  return isText(key) ? text(key) : error.message;
}

/** The first field that the failure is about. */
export function wrongField({ error }: Pick<AnyFailure, 'error'>): string | undefined {
  const { fields } = Object(error);
  const { field } = Object(Array.isArray(fields) ? fields[0] : undefined);
  return typeof field === 'string' ? field : undefined;
}

/** What is wrong with one field, if the failure is about it. */
export function fieldProblem(failure: AnyFailure | undefined, name: string): string | undefined {
  const { fields } = Object(failure?.error);
  if (!Array.isArray(fields)) return undefined;
  const { rule, message } = Object(fields.find(({ field }) => field === name));
  if (typeof message !== 'string') return undefined;
  const key = `error.field.${name}.${rule}`;
  return isText(key) ? text(key) : message;
}
