import { EventList } from '../parts/event-list.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { setAddress, useAddress } from '../shell/address.ts';
import { read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { AccountPage } from './page.tsx';

const PER_PAGE = 20;

/** What happened to the security of the own account. */
export default function Events() {
  const page = Number(useAddress().page) || 1;
  const { data, failure, isLoading, again } = useLoad(`events ${page}`, (signal) =>
    read('listOwnEvents', { query: { page, per_page: PER_PAGE }, signal }),
  );
  return (
    <AccountPage title="account.events">
      <p class="muted">{text('events.what')}</p>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (
        <EventList
          events={data.items.map(({ by, ...event }) => ({
            ...event,
            by: by === 'somebody_else' ? text('events.somebody_else') : undefined,
          }))}
        />
      )}
      {data && (
        <Pages
          page={page}
          last={Math.max(1, Math.ceil(data.total / PER_PAGE))}
          onPage={(next) => setAddress({ page: next === 1 ? undefined : String(next) })}
        />
      )}
    </AccountPage>
  );
}
