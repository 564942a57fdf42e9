import { type Static, Type } from 'typebox';
import { PageOf, PageQuery } from '../http/paging.ts';
import { AuditEvent, EventName, toAuditEvent } from './contract.ts';
import type { EventRow } from './list.ts';

const { account: _, actor: __, ...members } = AuditEvent.properties;

const OwnEvent = Type.Object(
  {
    ...members,
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
  const { account: _account, actor, session_id, address, request_id, ...event } = toAuditEvent(row);
  if (actor !== undefined && actor.id !== owner) return { ...event, by: 'somebody_else' };
  return {
    ...event,
    ...(actor && { by: 'you' as const }),
    ...(session_id !== undefined && { session_id }),
    ...(address !== undefined && { address }),
    ...(request_id !== undefined && { request_id }),
  };
}
