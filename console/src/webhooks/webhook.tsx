import { useSignal } from '@preact/signals';
import { Facts } from '../parts/facts.tsx';
import { Form } from '../parts/form.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Notice } from '../parts/notice.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { timeText } from '../parts/times.ts';
import { ask, read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { Actions } from './actions.tsx';
import { StateBadge, webhookName } from './badge.tsx';
import { Deliveries } from './deliveries.tsx';
import { eventsIn, eventText } from './events.ts';
import { Fields } from './fields.tsx';

/** One webhook: how it is, what it sent, and what can be done. */
export default function WebhookPage({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const id = Number(params.id);
  const { data, failure, isLoading, again } = useLoad(`webhook ${id}`, (signal) =>
    read('getWebhook', { path: { id }, signal }),
  );
  const isSaved = useSignal(false);
  const round = useSignal(0);
  const changed = () => {
    round.value++;
    again();
  };
  return (
    <div class="page">
      <p>
        <a href="webhooks" class="back">
          <span aria-hidden="true">←</span> {text('webhooks')}
        </a>
      </p>
      <header class="page-head">
        <h1 dir="auto">{data ? webhookName(data) : text('webhook')}</h1>
        {data && <StateBadge of={data} />}
      </header>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (
        <>
          {data.paused && (
            <Notice kind="warn">{text(`webhooks.paused.${data.paused_because ?? 'admin'}`)}</Notice>
          )}
          {/* An instance of the version before does not say it. */}
          {!data.paused && data.held_until && (
            <Notice kind="warn">{text('webhooks.held', { time: timeText(data.held_until) })}</Notice>
          )}
          <section class="card">
            <Facts
              of={[
                [text('webhooks.url'), data.url],
                [text('webhooks.events'), data.events.map(eventText).join(', ')],
                [text('webhooks.since'), <Time key="since" at={data.created_at} />],
                [text('webhooks.paused_at'), data.paused_at && <Time at={data.paused_at} />],
              ]}
            />
          </section>
          <Actions webhook={data} onChanged={changed} />
          <div class="columns">
            <Deliveries webhook={data} round={round.value} />
            <Section title={text('webhooks.change')}>
              <Form
                key={data.id}
                action={text('save')}
                onSubmit={async (values) => {
                  isSaved.value = false;
                  const { url = '', description = '' } = values;
                  const result = await ask('updateWebhook', {
                    path: { id },
                    // An address that is given again is tried at once.
                    body: { description, events: eventsIn(values), ...(url !== data.url && { url }) },
                  });
                  if (!result.ok) return result;
                  isSaved.value = true;
                  changed();
                  return undefined;
                }}
              >
                <Fields of={data} />
              </Form>
              {isSaved.value && <Notice kind="good">{text('saved')}</Notice>}
            </Section>
          </div>
        </>
      )}
    </div>
  );
}
