import { requestOf } from '@stoa/client';
import { useCopying } from '../parts/copying.ts';
import { SERVICE } from '../stoa.ts';
import { text } from '../text/text.ts';
import { requests, type ViewRequest } from './ask.ts';
import { curlOf, typeScriptOf } from './request-text.ts';

const KINDS = [
  ['curl', curlOf],
  ['TypeScript', typeScriptOf],
] as const;

/** What filled the view, each to be copied as a command or as a program. */
export default function RequestsList() {
  const { said, refused, copy } = useCopying();
  return (
    <>
      <p>
        {text('requests.what')} <a href="account/tokens">{text('account.tokens')}</a>
      </p>
      <ul>
        {requests.value.map((request) => (
          <li key={lineOf(request)}>
            <code dir="ltr">{lineOf(request)}</code>
            <div class="actions">
              {KINDS.map(([kind, textOf]) => (
                <button
                  key={kind}
                  type="button"
                  class="button"
                  onClick={() => void copy(textOf(location.origin + SERVICE, request))}
                >
                  {text('requests.copy', { kind })}
                  <span class="visually-hidden"> {lineOf(request)}</span>
                </button>
              ))}
            </div>
          </li>
        ))}
      </ul>
      <p role="status">{said.value}</p>
      {refused.value !== undefined && <pre dir="ltr">{refused.value}</pre>}
    </>
  );
}

function lineOf({ operation, input }: ViewRequest): string {
  const { method, path } = requestOf(operation, input);
  return `${method} ${path}`;
}
