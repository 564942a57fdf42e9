import { Choose, ChoosePage, useChosen } from '../parts/chosen.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { Time } from '../parts/time.tsx';
import { countText } from '../parts/times.ts';
import { setAddress, useAddress } from '../shell/address.ts';
import { read } from '../shell/ask.ts';
import { account } from '../shell/session.ts';
import { withTexts } from '../text/more.ts';
import { text } from '../text/text.ts';
import { Badges } from './badges.tsx';
import { Filters } from './filters.tsx';
import { filterOf, PER_PAGE, queryOf } from './query.ts';

const loadBulk = withTexts(['bulk'], () => import('./bulk.tsx'));

/** All accounts, found by words and filters. The address holds the view. */
export default function List() {
  const address = useAddress();
  const query = queryOf(address);
  const key = JSON.stringify(query);
  const { data, failure, isLoading, again } = useLoad(key, (signal) => read('listUsers', { query, signal }));
  const { chosen, bulk } = useChosen('people', key, loadBulk);
  const total = data?.total ?? 0;
  const own = account()?.id;
  const ids = (data?.items ?? []).map(({ id }) => id).filter((id) => id !== own);
  return (
    <div class="page">
      <header class="page-head">
        <h1>{text('people')}</h1>
        <a class="button button-primary" href="people/invitations">
          {text('invitations.new')}
        </a>
      </header>
      <Filters />
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      <div class="summary">
        <ChoosePage label={text('choose_page')} ids={ids} chosen={chosen} />
        <span role="status">{isLoading ? text('loading') : data && countText('people.total', total)}</span>
      </div>
      {bulk && (
        <bulk.PeopleBulk
          key={key}
          chosen={chosen}
          ids={ids}
          filter={filterOf(address)}
          total={total}
          onDone={again}
        />
      )}
      {data?.total === 0 && <p class="empty">{text('people.none')}</p>}
      {data && data.items.length > 0 && (
        <table class="table" aria-busy={isLoading}>
          <thead>
            <tr>
              <td class="choose" />
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
                <td class="choose">
                  {person.id !== own && (
                    <Choose
                      label={text('people.choose', { name: person.username })}
                      id={person.id}
                      chosen={chosen}
                    />
                  )}
                </td>
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
          shown={data.page}
          last={Math.max(1, Math.ceil(total / PER_PAGE))}
          onPage={(page, how) => setAddress({ ...address, page: page === 1 ? undefined : String(page) }, how)}
        />
      )}
    </div>
  );
}
