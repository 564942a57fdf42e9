import { useSignal } from '@preact/signals';
import type { WebhookWithSecret } from '@stoa/client';
import { Form } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { Once } from '../parts/once.tsx';
import { ask } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { eventsIn } from './events.ts';
import { Fields } from './fields.tsx';

/** A form for a webhook, and then its secret, this once. */
export default function New() {
  const made = useSignal<WebhookWithSecret | undefined>(undefined);
  return (
    <div class="page page-narrow">
      <p>
        <a href="webhooks" class="back">
          <span aria-hidden="true">←</span> {text('webhooks')}
        </a>
      </p>
      <h1>{text('webhooks.new')}</h1>
      {made.value ? (
        <>
          <Notice kind="good">{text('webhooks.made')}</Notice>
          <Once label={text('webhooks.once')} value={made.value.secret} />
          <p>
            <a class="button button-primary" href={`webhooks/${made.value.id}`}>
              {text('webhooks.open')}
            </a>
          </p>
        </>
      ) : (
        <section class="card">
          <p class="muted">{text('webhooks.what')}</p>
          <Form
            action={text('webhooks.make')}
            onSubmit={async (values) => {
              const { url = '', description = '' } = values;
              const result = await ask('createWebhook', {
                body: { url, description, events: eventsIn(values) },
              });
              if (!result.ok) return result;
              made.value = result.data;
              return undefined;
            }}
          >
            <Fields />
          </Form>
        </section>
      )}
    </div>
  );
}
