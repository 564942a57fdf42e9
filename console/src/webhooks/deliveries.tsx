import type { Webhook, WebhookDelivery } from '@stoa/client';
import { Act } from '../parts/act.tsx';
import { useAgain } from '../parts/again.ts';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Notice } from '../parts/notice.tsx';
import { Pages } from '../parts/pages.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { countText } from '../parts/times.ts';
import { setAddress, useAddress } from '../shell/address.ts';
import { ask, read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { eventText } from './events.ts';
import { failureOf } from './outcome.ts';

const PER_PAGE = 10;
const SOON_MS = 60_000;
const BADGES = { waiting: '', delivered: 'badge-good', failed: 'badge-bad' } as const;

interface Props {
  readonly webhook: Webhook;
  /** Another number reads the list again. */
  readonly round: number;
}

/** What a webhook has sent and will send, with its last failure. What is due soon is followed. */
export function Deliveries({ webhook: { id, paused }, round }: Props) {
  const address = useAddress();
  const page = Number(address.page) || 1;
  const { data, failure, isLoading, again } = useLoad(`deliveries ${id} ${page} ${round}`, (signal) =>
    read('listWebhookDeliveries', { path: { id }, query: { page, per_page: PER_PAGE }, signal }),
  );
  // One under way counts as tried, and is still due.
  const isDue = ({ status, event, next_attempt_at }: WebhookDelivery) =>
    status === 'waiting' &&
    (!paused || event === 'webhook.test') &&
    (next_attempt_at === undefined || Date.parse(next_attempt_at) < Date.now() + SOON_MS);
  useAgain(data?.items.some(isDue) === true, isLoading, again);
  const failed = data?.items.find((delivery) => failureOf(delivery) !== undefined);
  return (
    <Section title={text('deliveries')} what={text('deliveries.what')}>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {failed && page === 1 && (
        <Notice kind="warn">
          <span>
            {text('deliveries.last_failure')} {failureOf(failed)}
            {failed.last_attempt_at !== undefined && (
              <>
                {' · '}
                <Time at={failed.last_attempt_at} />
              </>
            )}
          </span>
        </Notice>
      )}
      {data && data.items.length === 0 && <p class="empty">{text('deliveries.none')}</p>}
      {data && data.total > 0 && (
        <p class="muted" role="status">
          {countText('deliveries.total', data.total)}
        </p>
      )}
      <ul class="rows">
        {data?.items.map((delivery) => (
          <li key={delivery.id}>
            <div>
              <strong>{eventText(delivery.event)}</strong>{' '}
              <span class={`badge ${BADGES[delivery.status]}`}>{text(`deliveries.${delivery.status}`)}</span>
              <p class="muted">
                <Outcome of={delivery} />
              </p>
            </div>
            <Act
              label={text('deliveries.again')}
              about={`${eventText(delivery.event)} ${delivery.id}`}
              onAct={async () => {
                const result = await ask('redeliverWebhook', { path: { id, delivery_id: delivery.id } });
                if (result.ok) again();
                return result.ok ? undefined : result;
              }}
            />
          </li>
        ))}
      </ul>
      {data && (
        <Pages
          page={page}
          last={Math.max(1, Math.ceil(data.total / PER_PAGE))}
          onPage={(next) => setAddress({ page: next === 1 ? undefined : String(next) })}
        />
      )}
    </Section>
  );
}

function Outcome({ of }: { readonly of: WebhookDelivery }) {
  const { attempts, status, status_code, created_at, next_attempt_at } = of;
  const answer =
    failureOf(of) ?? (status_code !== undefined && text('deliveries.answer', { code: status_code }));
  return (
    <>
      <Time at={created_at} />
      {attempts > 0 && ` · ${countText('deliveries.attempts', attempts)}`}
      {answer && ` · ${answer}`}
      {status === 'waiting' && attempts > 0 && next_attempt_at !== undefined && (
        <>
          {' · '}
          {text('deliveries.next')} <Time at={next_attempt_at} />
        </>
      )}
    </>
  );
}
