import { type Static, Type } from 'typebox';
import { isoTime } from '../domain/time.ts';
import { PageOf } from '../http/paging.ts';
import type { SessionRow } from './list-sessions.ts';
import { Name } from './personal-token-contract.ts';

export const Session = Type.Object(
  {
    id: Type.String({ examples: ['PGv5TVfQ0p8'] }),
    name: Type.Optional(Name),
    device: Type.Optional(
      Type.String({
        maxLength: 256,
        description:
          'What the client told of itself at the sign-in (User-Agent); anybody can claim anything.',
      }),
    ),
    created_at: Type.String({ format: 'date-time' }),
    last_used_at: Type.String({ format: 'date-time', description: 'The sign-in, or the last refresh.' }),
    address: Type.Optional(
      Type.String({
        description: 'Where the sign-in or the last refresh came from.',
        examples: ['203.0.113.7'],
      }),
    ),
    current: Type.Boolean({ description: 'Is this the session that asks?' }),
  },
  { $id: 'Session', description: 'A session of an account. What is not known is absent.' },
);
type Session = Static<typeof Session>;

export const SessionPage = PageOf('SessionPage', Session, 'Newest first');

/** The row of a session as the contract shows it; `current` is the id of the session that asks. */
export function toSession(
  { id, label, device, created_at, rotated_at, address }: SessionRow,
  current: string,
): Session {
  return {
    id,
    ...(label !== null && { name: label }),
    ...(device !== null && { device }),
    created_at: isoTime(created_at),
    last_used_at: isoTime(rotated_at),
    ...(address !== null && { address }),
    current: id === current,
  };
}
