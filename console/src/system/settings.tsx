import { Facts } from '../parts/facts.tsx';
import { Section } from '../parts/section.tsx';
import { numberText } from '../parts/times.ts';
import { text } from '../text/text.ts';

interface Setting {
  readonly name: string;
  readonly value: string;
}

/** The settings, to read. They change with the environment of the service only. */
export function Settings({ of }: { readonly of: readonly Setting[] }) {
  return (
    <Section title={text('settings')} what={text('settings.what')}>
      <details>
        <summary>{text('settings.show', { count: numberText(of.length) })}</summary>
        <Facts
          of={of.map(({ name, value }) => [
            name,
            value === '' ? (
              <span class="muted">{text('settings.not_set')}</span>
            ) : (
              <span dir="auto">{value}</span>
            ),
          ])}
        />
      </details>
    </Section>
  );
}
