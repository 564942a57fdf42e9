import { useLoad } from '../parts/load.ts';
import { Notice } from '../parts/notice.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { countText } from '../parts/times.ts';
import { setAddress, useAddress } from '../shell/address.ts';
import { read } from '../shell/ask.ts';
import { authSettings } from '../shell/session.ts';
import { text } from '../text/text.ts';
import { Badges } from './badges.tsx';
import { Filters } from './filters.tsx';
import { PER_PAGE, queryOf } from './query.ts';

/** All accounts, found by words and filters. The address holds the view. */
export default function List() {
  const address = useAddress();
  const query = queryOf(address);
  const { data, error, isLoading } = useLoad(JSON.stringify(query), (signal) =>
    read('listUsers', { query, signal }),
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>{text('people')}</h1>
        {authSettings()?.mail && (
          <a class="button button-primary" href="people/invitations">
            {text('invitations')}
          </a>
        )}
      </header>
      <Filters />
      {error !== undefined && <Notice kind="bad">{error}</Notice>}
      <p class="muted" role="status">
        {data && !isLoading ? countText('people.total', data.total ?? 0) : text('loading')}
      </p>
      {data && data.items.length === 0 && <p class="empty">{text('people.none')}</p>}
      {data && data.items.length > 0 && (
        <table class="table" aria-busy={isLoading}>
          <thead>
            <tr>
              <th scope="col">{text('people.name')}</th>
              <th scope="col">{text('role')}</th>
              <th scope="col" class="wide-only">
                {text('people.last_sign_in')}
              </th>
              <th scope="col" class="wide-only">
                {text('people.since')}
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((person) => (
              <tr key={person.id}>
                <th scope="row">
                  <a href={`people/${person.id}`}>{person.username}</a>
                  <span class="muted">{person.email}</span>
                </th>
                <td>
                  <Badges of={person} />
                </td>
                <td class="wide-only">
                  {person.last_sign_in_at ? <Time at={person.last_sign_in_at} /> : text('never')}
                </td>
                <td class="wide-only">
                  <Time at={person.created_at} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {data && (
        <Pages
          page={query.page}
          last={Math.max(1, Math.ceil((data.total ?? 0) / PER_PAGE))}
          onPage={(page) => setAddress({ ...address, page: page === 1 ? undefined : String(page) })}
        />
      )}
    </div>
  );
}
