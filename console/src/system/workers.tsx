import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { numberText } from '../parts/times.ts';
import { text } from '../text/text.ts';
import { bytesText } from './bytes.ts';

interface Worker {
  readonly number: number;
  readonly serving: boolean;
  readonly restarts: number;
  readonly started_at?: string;
  readonly memory_bytes?: number;
}

const CLASSES = { starting: 'badge-strong', silent: 'badge-bad' };

/** The processes that serve requests. Open where one has ended or says nothing. */
export function Workers({ of }: { readonly of: readonly Worker[] }) {
  return (
    <Section title={text('workers')} what={text('workers.what')}>
      {of.length === 0 ? (
        <p class="muted">{text('workers.none')}</p>
      ) : (
        <details class="scroll" open={of.some((worker) => worker.restarts > 0 || troubleOf(worker))}>
          <summary>
            {of.length === 1
              ? text('workers.show.one')
              : text('workers.show', { count: numberText(of.length) })}
          </summary>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{text('workers.number')}</th>
                <th scope="col">{text('workers.restarts')}</th>
                <th scope="col">{text('rates.memory_bytes')}</th>
                <th scope="col" class="wide-only">
                  {text('system.started')}
                </th>
              </tr>
            </thead>
            <tbody>
              {of.map((worker) => (
                <Row key={worker.number} of={worker} />
              ))}
            </tbody>
          </table>
        </details>
      )}
    </Section>
  );
}

function Row({ of }: { readonly of: Worker }) {
  const { number, restarts, started_at, memory_bytes } = of;
  const trouble = troubleOf(of);
  return (
    <tr>
      <th scope="row">
        {numberText(number)}{' '}
        {trouble && <span class={`badge ${CLASSES[trouble]}`}>{text(`workers.${trouble}`)}</span>}
      </th>
      <td>{numberText(restarts)}</td>
      <td>{memory_bytes !== undefined && bytesText(memory_bytes)}</td>
      <td class="wide-only">{started_at && <Time at={started_at} />}</td>
    </tr>
  );
}

function troubleOf({ serving, memory_bytes }: Worker): keyof typeof CLASSES | undefined {
  if (!serving) return 'starting';
  return memory_bytes === undefined ? 'silent' : undefined;
}
