import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { useFieldProblem } from '../parts/form.tsx';
import { text } from '../text/text.ts';
import { eventText } from './events.ts';
import { EVENTS } from './wanted.ts';

/** Which events a webhook gets: all of them, or some. */
export function EventChoice({ chosen }: { readonly chosen: readonly string[] }) {
  const isAll = useSignal(chosen.includes('*'));
  const problem = useFieldProblem('events');
  const id = useId();
  return (
    <fieldset class="choices" aria-describedby={problem && id}>
      <legend>{text('webhooks.events')}</legend>
      <label class="check">
        <input
          type="checkbox"
          name="*"
          defaultChecked={isAll.peek()}
          onChange={({ currentTarget }) => {
            isAll.value = currentTarget.checked;
          }}
        />
        {text('webhooks.events.all')} <span class="muted">{text('webhooks.events.all.what')}</span>
      </label>
      {!isAll.value &&
        EVENTS.map((event) => (
          <label key={event} class="check">
            <input type="checkbox" name={event} defaultChecked={chosen.includes(event)} />
            <span>
              {eventText(event)} <code>{event}</code>
            </span>
          </label>
        ))}
      {problem && (
        <p id={id} class="field-problem">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
