import type { AnyFailure, Session } from '@stoa/client';
import { text } from '../text/text.ts';
import { Act } from './act.tsx';
import { deviceText } from './device.ts';
import { Time } from './time.tsx';

interface Props {
  readonly sessions: readonly Session[];
  readonly onEnd: (id: string) => Promise<AnyFailure | undefined>;
}

/** Where an account is signed in. */
export function SessionList({ sessions, onEnd }: Props) {
  return (
    <ul class="rows">
      {sessions.map(({ id, name, device, created_at, last_used_at, address, current }) => (
        <li key={id}>
          <div>
            <strong title={device}>{name ?? deviceText(device)}</strong>{' '}
            {current && <span class="badge badge-good">{text('sessions.this')}</span>}
            <p class="muted">
              {address !== undefined && `${address} · `}
              {text('sessions.since')} <Time at={created_at} />
              {' · '}
              {text('used')} <Time at={last_used_at} />
            </p>
          </div>
          {!current && (
            <Act label={text('sessions.end')} about={name ?? deviceText(device)} onAct={() => onEnd(id)} />
          )}
        </li>
      ))}
    </ul>
  );
}
