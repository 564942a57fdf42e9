import { type Static, Type } from 'typebox';
import { isoTime } from '../domain/time.ts';
import { OpenEnum } from '../http/open-enum.ts';
import { PageOf, PageQuery } from '../http/paging.ts';
import { timeQuery } from '../http/time-query.ts';
import { CURSOR, WalkablePageOf } from '../http/walking.ts';
import { EVENTS } from '../services/audit/events.ts';
import { UserReference } from '../sessions/contract.ts';
import type { EventRow } from './list.ts';

const WHAT = 'What happened.';
const EventName = Type.Enum(EVENTS, { type: 'string', description: WHAT });

const AuditEvent = Type.Object(
  {
    id: Type.Integer({ minimum: 1 }),
    at: Type.String({ format: 'date-time', description: 'Of several events in one, when the first was.' }),
    event: OpenEnum(EVENTS, WHAT),
    account: Type.Optional(UserReference),
    actor: Type.Optional(UserReference),
    session_id: Type.Optional(Type.String({ description: 'The session that began, was used or ended.' })),
    address: Type.Optional(Type.String({ description: 'Where the request came from.' })),
    request_id: Type.Optional(
      Type.String({ description: 'The header X-Request-Id of the answer has the same.' }),
    ),
    detail: Type.Object(
      {},
      { additionalProperties: Type.String(), description: 'What there is to say beside, by name.' },
    ),
    times: Type.Integer({
      minimum: 1,
      description:
        'How many events of this kind this stands for; more than 1 where a sign-in, its failure or what an owner may do without end came too often for a row each.',
    }),
  },
  {
    $id: 'AuditEvent',
    description:
      'Something that concerns security: `account` is whom it is about, `actor` is who did it. What there is none of is absent. The name of an account that is gone is empty.',
  },
);
type AuditEvent = Static<typeof AuditEvent>;

export const AuditPage = WalkablePageOf('AuditPage', AuditEvent, 'Newest first');

export const AuditQuery = Type.Object({
  ...PageQuery,
  cursor: CURSOR,
  event: Type.Optional(EventName),
  account: accountQuery('Only events about the account with this id.'),
  actor: accountQuery('Only what the account with this id did.'),
  address: Type.Optional(
    Type.String({
      maxLength: 64,
      format: 'storable',
      description: 'Only what requests from this address did.',
    }),
  ),
  since: timeQuery('From this time on.'),
  until: timeQuery('Before this time.'),
});

function accountQuery(description: string) {
  return Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }));
}

/** The row of an event as the contract shows it. */
export function toAuditEvent(row: EventRow): AuditEvent {
  const { id, at, event, times, session_id, address, request_id } = row;
  const account = reference(row.account_id, row.account_name);
  const actor = reference(row.actor_id, row.actor_name);
  return {
    id,
    at: isoTime(at),
    event,
    ...(account && { account }),
    ...(actor && { actor }),
    ...(session_id !== null && { session_id }),
    ...(address !== null && { address }),
    ...(request_id !== null && { request_id }),
    detail: JSON.parse(row.detail) as Record<string, string>,
    times,
  };
}

function reference(id: number | null, username: string | null) {
  return id === null ? undefined : { id, username: username ?? '' };
}

const { account: _, actor: __, ...ownMembers } = AuditEvent.properties;

const OwnEvent = Type.Object(
  {
    ...ownMembers,
    by: Type.Optional(
      Type.Enum(['you', 'somebody_else'], {
        type: 'string',
        description: 'Whose session did it, where one did.',
      }),
    ),
  },
  {
    $id: 'OwnEvent',
    description:
      'Something that concerns the security of the own account. What there is none of is absent. Where another user did it while signed in, the session, the address and the request are left out: that user is the one they belong to.',
  },
);
type OwnEvent = Static<typeof OwnEvent>;

export const OwnEventPage = PageOf('OwnEventPage', OwnEvent, 'Newest first');

export const OwnEventQuery = Type.Object({ ...PageQuery, event: Type.Optional(EventName) });

/** The row of an event about the account of `owner`, as its owner may see it. */
export function toOwnEvent(row: EventRow, owner: number): OwnEvent {
  const { account: _account, actor, ...event } = toAuditEvent(row);
  if (actor === undefined) return event;
  if (actor.id === owner) return { ...event, by: 'you' };
  const { session_id: _session, address: _address, request_id: _request, ...shown } = event;
  return { ...shown, by: 'somebody_else' };
}
