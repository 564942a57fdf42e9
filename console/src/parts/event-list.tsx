import { isText, text } from '../text/text.ts';
import { Time } from './time.tsx';

interface Event {
  readonly id: number;
  readonly at: string;
  readonly event: string;
  readonly address?: string | undefined;
  readonly times: number;
  /** Who did it, where it was not the account itself. */
  readonly by?: string | undefined;
}

/** Security events, each with its time and where it came from. */
export function EventList({ events }: { readonly events: readonly Event[] }) {
  return (
    <ul class="rows rows-narrow">
      {events.map(({ id, at, event, address, times, by }) => (
        <li key={id}>
          <div>
            <span>{securityEventText(event)}</span> {times > 1 && <span class="badge">{`× ${times}`}</span>}
            <p class="muted">
              <Time at={at} />
              {address !== undefined && ` · ${address}`}
              {by !== undefined && ` · ${by}`}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** The name of a security event; one of a later version as the service names it. */
export function securityEventText(event: string): string {
  const key = `event.${event}`;
  return isText(key) ? text(key) : event;
}
