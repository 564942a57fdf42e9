import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Time } from '../parts/time.tsx';
import { countText } from '../parts/times.ts';
import { read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { StateBadge, webhookName } from './badge.tsx';
import { eventText } from './events.ts';

/** All webhooks. There are fewer than a page has. */
export default function List() {
  const { data, failure, isLoading, again } = useLoad('webhooks', (signal) =>
    read('listWebhooks', { query: { per_page: 100 }, signal }),
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>{text('webhooks')}</h1>
        <a class="button button-primary" href="webhooks/new">
          {text('webhooks.new')}
        </a>
      </header>
      <p class="muted">{text('webhooks.what')}</p>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      <p class="muted" role="status">
        {data && !isLoading ? countText('webhooks.total', data.total) : isLoading && text('loading')}
      </p>
      {data && data.items.length === 0 && <p class="empty">{text('webhooks.none')}</p>}
      {data && data.items.length > 0 && (
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{text('webhook')}</th>
              <th scope="col">{text('state')}</th>
              <th scope="col" class="wide-only">
                {text('webhooks.events')}
              </th>
              <th scope="col" class="wide-only">
                {text('webhooks.since')}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((webhook) => (
              <tr key={webhook.id}>
                <th scope="row">
                  <a href={`webhooks/${webhook.id}`}>{webhookName(webhook)}</a>
                  {webhook.description !== '' && <span class="muted">{webhook.url}</span>}
                </th>
                <td>
                  <StateBadge of={webhook} />
                </td>
                <td class="wide-only">{webhook.events.map(eventText).join(', ')}</td>
                <td class="wide-only">
                  <Time at={webhook.created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}
