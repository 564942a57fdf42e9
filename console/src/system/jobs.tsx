import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { numberText } from '../parts/times.ts';
import { language, text } from '../text/text.ts';
import { GERMAN_JOBS } from './job-names.ts';

interface Job {
  readonly name: string;
  readonly runs: number;
  readonly failures: number;
  readonly failing: boolean;
  readonly last_success_at?: string;
}

/** Work in the background, what fails first. */
export function Jobs({ of }: { readonly of: readonly Job[] }) {
  const sorted = of.toSorted((one, other) => Number(other.failing) - Number(one.failing));
  return (
    <Section title={text('jobs')} what={text('jobs.what')}>
      <details class="scroll" open={sorted.some(({ failing }) => failing)}>
        <summary>{text('jobs.show', { count: numberText(of.length) })}</summary>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{text('jobs.name')}</th>
              <th scope="col">{text('jobs.success')}</th>
              <th scope="col" class="wide-only">
                {text('jobs.runs')}
              </th>
              <th scope="col" class="wide-only">
                {text('jobs.failures')}
              </th>
            </tr>
          </thead>
          <tbody>
            {sorted.map(({ name, runs, failures, failing, last_success_at }) => (
              <tr key={name}>
                <th scope="row">
                  {nameOf(name)} {failing && <span class="badge badge-bad">{text('jobs.failing')}</span>}
                </th>
                <td>{last_success_at ? <Time at={last_success_at} /> : text('never')}</td>
                <td class="wide-only">{numberText(runs)}</td>
                <td class="wide-only">{numberText(failures)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Section>
  );
}

/** As people read it. Without a translation it is the service's English. */
function nameOf(name: string) {
  const german = language() === 'de' ? GERMAN_JOBS[name] : undefined;
  return german ?? <span lang="en">{name.charAt(0).toUpperCase() + name.slice(1)}</span>;
}
