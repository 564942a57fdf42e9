import { Act } from '../parts/act.tsx';
import { EventList } from '../parts/event-list.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Section } from '../parts/section.tsx';
import { SessionList } from '../parts/session-list.tsx';
import { Time } from '../parts/time.tsx';
import { ask, read } from '../shell/ask.ts';
import { text } from '../text/text.ts';

interface Props {
  readonly id: number;
  /** The state of the account: what it does not have any more is read again. */
  readonly state: string;
}

const SHOWN = 10;

function More({ total = 0 }: { readonly total: number | undefined }) {
  return total > SHOWN ? <p class="muted">{text('more', { count: total - SHOWN })}</p> : null;
}

export function PersonSessions({ id, state }: Props) {
  const { data, failure, isLoading, again } = useLoad(`sessions ${id} ${state}`, (signal) =>
    read('listUserSessions', { path: { id }, query: { per_page: SHOWN }, signal }),
  );
  return (
    <Section title={text('account.sessions')}>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data?.items.length === 0 && <p class="muted">{text('sessions.none')}</p>}
      {data && (
        <SessionList
          sessions={data.items}
          onEnd={async (session_id) => {
            const result = await ask('revokeUserSession', { path: { id, session_id } });
            if (result.ok) again();
            return result.ok ? undefined : result;
          }}
        />
      )}
      <More total={data?.total} />
    </Section>
  );
}

export function PersonTokens({ id, state }: Props) {
  const { data, failure, isLoading, again } = useLoad(`tokens ${id} ${state}`, (signal) =>
    read('listUserTokens', { path: { id }, query: { per_page: SHOWN }, signal }),
  );
  if (!failure && !data?.total) return null;
  return (
    <Section title={text('account.tokens')}>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      <ul class="rows">
        {data?.items.map(({ id: token_id, name, scope, expires_at }) => (
          <li key={token_id}>
            <div>
              <strong>{name}</strong> <span class="badge">{text(`tokens.${scope}`)}</span>
              <p class="muted">
                {text('tokens.ends')} <Time at={expires_at} />
              </p>
            </div>
            <Act
              label={text('tokens.revoke')}
              about={name}
              question={text('tokens.revoke.ask', { name })}
              isDanger
              onAct={async () => {
                const result = await ask('revokeUserToken', { path: { id, token_id } });
                if (result.ok) again();
                return result.ok ? undefined : result;
              }}
            />
          </li>
        ))}
      </ul>
      <More total={data?.total} />
    </Section>
  );
}

export function PersonEvents({ id, state }: Props) {
  const { data, failure, isLoading, again } = useLoad(`events ${id} ${state}`, (signal) =>
    read('listAuditEvents', { query: { account: id, per_page: SHOWN }, signal }),
  );
  return (
    <Section title={text('account.events')}>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (
        <EventList
          events={data.items.map(({ actor, ...event }) => ({
            ...event,
            by: actor && actor.id !== id ? actor.username : undefined,
          }))}
        />
      )}
      <p>
        <a href={`trail?account=${id}`}>{text('people.all_events')}</a>
      </p>
    </Section>
  );
}
