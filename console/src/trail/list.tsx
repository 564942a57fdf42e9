import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { countText } from '../parts/times.ts';
import { setAddress, useAddress } from '../shell/address.ts';
import { read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { Filters } from './filters.tsx';
import { PER_PAGE, queryOf } from './query.ts';
import { Row } from './row.tsx';

/** The audit trail, newest first. The address holds the view. */
export default function List() {
  const address = useAddress();
  const query = queryOf(address);
  const { data, failure, isLoading, again } = useLoad(JSON.stringify(query), (signal) =>
    read('listAuditEvents', { query, signal }),
  );
  const total = data?.total ?? 0;
  return (
    <div class="page">
      <h1>{text('trail')}</h1>
      <p class="muted">{text('trail.what')}</p>
      <Filters />
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      <p class="muted" role="status">
        {data && !isLoading ? countText('trail.total', total) : isLoading && text('loading')}
      </p>
      {data && data.items.length === 0 && <p class="empty">{text('trail.none')}</p>}
      {data && data.items.length > 0 && (
        <table class="table table-folds" aria-busy={isLoading}>
          <thead>
            <tr>
              <th scope="col">{text('trail.event')}</th>
              <th scope="col">{text('trail.account')}</th>
              <th scope="col">{text('trail.from')}</th>
              <th scope="col">{text('trail.when')}</th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((event) => (
              <Row key={event.id} event={event} />
            ))}
          </tbody>
        </table>
      )}
      {data && (
        <Pages
          page={query.page}
          last={Math.max(1, Math.ceil(total / PER_PAGE))}
          onPage={(page) => setAddress({ ...address, page: page === 1 ? undefined : String(page) })}
        />
      )}
    </div>
  );
}
