import { Act } from '../parts/act.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { SessionList } from '../parts/session-list.tsx';
import { setAddress, useAddress } from '../shell/address.ts';
import { ask, read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { AccountPage } from './page.tsx';

const PER_PAGE = 20;

/** Where the own account is signed in. */
export default function Sessions() {
  const page = Number(useAddress().page) || 1;
  const { data, failure, isLoading, again } = useLoad(`sessions ${page}`, (signal) =>
    read('listSessions', { query: { page, per_page: PER_PAGE }, signal }),
  );
  return (
    <AccountPage title="account.sessions">
      <p class="muted">{text('sessions.what')}</p>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (
        <SessionList
          sessions={data.items}
          onEnd={async (id) => {
            const result = await ask('revokeSession', { path: { id } });
            if (result.ok) again();
            return result.ok ? undefined : result;
          }}
        />
      )}
      {data && data.total > 1 && (
        <div class="actions">
          <Act
            label={text('sessions.end_others')}
            question={text('sessions.end_others.ask')}
            what={<p>{text('sessions.end_others.what')}</p>}
            isDanger
            onAct={async () => {
              const result = await ask('revokeOtherSessions');
              if (result.ok) again();
              return result.ok ? undefined : result;
            }}
          />
        </div>
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
