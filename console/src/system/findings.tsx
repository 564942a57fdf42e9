import { numberText } from '../parts/times.ts';
import { isText, text } from '../text/text.ts';

interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'advice' | 'wrong';
  readonly says: string;
}

const CLASSES = { ok: 'badge-good', advice: 'badge-strong', wrong: 'badge-bad' };
const ORDER = ['wrong', 'advice', 'ok'];

/** In one word how it is. */
export function Verdict({ of }: { readonly of: readonly Finding[] }) {
  const wrong = of.filter(({ state }) => state === 'wrong').length;
  return (
    <span class={`badge ${wrong > 0 ? 'badge-bad' : 'badge-good'}`} role="status">
      {wrong > 0
        ? text(wrong === 1 ? 'system.wrong.one' : 'system.wrong', { count: numberText(wrong) })
        : text('system.well')}
    </span>
  );
}

/** What was found, the worst first. The sentences are the service's, which speaks English. */
export function Findings({ of }: { readonly of: readonly Finding[] }) {
  const sorted = of.toSorted((one, other) => ORDER.indexOf(one.state) - ORDER.indexOf(other.state));
  return (
    <ul class="rows rows-narrow">
      {sorted.map(({ check, state, says }) => (
        <li key={says}>
          <div>
            <strong>{nameOf(check)}</strong>
            <p class="muted" lang="en">
              {says}
            </p>
          </div>
          <span class={`badge ${CLASSES[state]}`}>{text(`finding.${state}`)}</span>
        </li>
      ))}
    </ul>
  );
}

function nameOf(check: string): string {
  const key = `check.${check.replaceAll(' ', '_')}`;
  return isText(key) ? text(key) : check;
}
