import { Section } from '../parts/section.tsx';
import { numberText } from '../parts/times.ts';
import { language, text } from '../text/text.ts';
import { bytesText } from './bytes.ts';
import { Chart } from './chart.tsx';

interface Series {
  readonly step_seconds: number;
  readonly requests: readonly number[];
  readonly server_errors: readonly number[];
  readonly passwords: readonly number[];
  readonly busy_percent: readonly number[];
  readonly memory_bytes: readonly number[];
}

/** Seconds that the charts show. */
const SHOWN = 900;
const COUNTED = ['requests', 'server_errors', 'passwords'] as const;

/** The last minutes as charts, and as a table for those who cannot see them. */
export function Rates({ of }: { readonly of: Series }) {
  const most = SHOWN / of.step_seconds;
  const minutes = minutesOf(of);
  const last = minutes[0];
  return (
    <Section title={text('system.rates')} what={text('system.rates.what')}>
      <dl class="facts">
        {COUNTED.map((name) => (
          <Chart
            key={name}
            title={text(`rates.${name}`)}
            now={last ? text('rates.minute', { count: numberText(last[name]) }) : ''}
            points={of[name]}
            most={most}
          />
        ))}
        <Chart
          title={text('rates.busy_percent')}
          now={percentText(of.busy_percent.at(-1))}
          points={of.busy_percent}
          most={most}
          top={100}
        />
        <Chart
          title={text('rates.memory_bytes')}
          now={last ? bytesText(of.memory_bytes.at(-1) ?? 0) : ''}
          points={of.memory_bytes}
          most={most}
        />
      </dl>
      {minutes.length === 0 ? (
        <p class="muted">{text('rates.none')}</p>
      ) : (
        <details class="scroll">
          <summary>{text('rates.table')}</summary>
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{text('rates.ago')}</th>
                {COUNTED.map((name) => (
                  <th key={name} scope="col">
                    {text(`rates.${name}`)}
                  </th>
                ))}
                <th scope="col">{text('rates.busy_percent')}</th>
                <th scope="col">{text('rates.memory_bytes')}</th>
              </tr>
            </thead>
            <tbody>
              {minutes.map((minute, ago) => (
                <tr key={ago}>
                  <th scope="row">{numberText(ago)}</th>
                  {COUNTED.map((name) => (
                    <td key={name}>{numberText(minute[name])}</td>
                  ))}
                  <td>{percentText(minute.busy_percent)}</td>
                  <td>{bytesText(minute.memory_bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </details>
      )}
    </Section>
  );
}

type Minute = Readonly<Record<Exclude<keyof Series, 'step_seconds'>, number>>;

/** The newest minute first: sums of what is counted, and the most of what is measured. */
function minutesOf(of: Series): Minute[] {
  const steps = Math.max(1, Math.round(60 / of.step_seconds));
  const minutes: Minute[] = [];
  for (let end = of.requests.length; end > 0; end -= steps) {
    const part = (points: readonly number[]) => points.slice(Math.max(0, end - steps), end);
    const sum = (points: readonly number[]) => part(points).reduce((total, each) => total + each, 0);
    minutes.push({
      requests: sum(of.requests),
      server_errors: sum(of.server_errors),
      passwords: sum(of.passwords),
      busy_percent: Math.max(...part(of.busy_percent)),
      memory_bytes: Math.max(...part(of.memory_bytes)),
    });
  }
  return minutes;
}

function percentText(percent: number | undefined): string {
  if (percent === undefined) return '';
  return new Intl.NumberFormat(language(), { style: 'percent', maximumFractionDigits: 1 }).format(
    percent / 100,
  );
}
