import { agoText, timeText } from './times.ts';

/** When something was, as people say it; the exact time is in its title. */
export function Time({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={timeText(at)}>
      {agoText(at)}
    </time>
  );
}
