import type { AuditEvent, UserReference } from '@stoa/client';
import { securityEventText } from '../parts/event-list.tsx';
import { Facts } from '../parts/facts.tsx';
import { exactTimeText, numberText } from '../parts/times.ts';
import { text } from '../text/text.ts';

/** One event: what, whom it is about and who did it, from where and when. */
export function Row({ event }: { readonly event: AuditEvent }) {
  const { at, account, actor, address, times } = event;
  return (
    <tr>
      <th scope="row">
        <span class="strong">{securityEventText(event.event)}</span>{' '}
        {times > 1 && <span class="badge">{text('trail.times', { count: numberText(times) })}</span>}
        <Details of={event} />
      </th>
      <td>
        {account ? <Person of={account} /> : !actor && text('trail.system')}
        {actor && actor.id !== account?.id && (
          <span class="muted">
            {account && ' '}
            {text('trail.by')} <Person of={actor} />
          </span>
        )}
      </td>
      <td>{address}</td>
      <td>
        <time dateTime={at} title={at}>
          {exactTimeText(at)}
        </time>
      </td>
    </tr>
  );
}

/** The page of an account. One that is gone has no name. */
function Person({ of: { id, username } }: { readonly of: UserReference }) {
  if (username === '') return <>{text('trail.account.number', { id })}</>;
  return (
    <a href={`people/${id}`} dir="auto">
      {username}
    </a>
  );
}

/** What else is known, in the names that programs use. */
function Details({ of: { detail, session_id, request_id } }: { readonly of: AuditEvent }) {
  const others = Object.entries(detail);
  if (others.length === 0 && session_id === undefined && request_id === undefined) return null;
  return (
    <details>
      <summary>{text('trail.more')}</summary>
      <Facts of={[...others, [text('trail.session'), session_id], [text('trail.request'), request_id]]} />
    </details>
  );
}
