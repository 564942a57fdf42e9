import { useEffect } from 'preact/hooks';
import { Facts } from '../parts/facts.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { numberText } from '../parts/times.ts';
import { read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { Backups } from './backups.tsx';
import { bytesText } from './bytes.ts';
import { Findings, Verdict } from './findings.tsx';
import { Jobs } from './jobs.tsx';
import { Rates } from './rates.tsx';
import { Settings } from './settings.tsx';
import { Workers } from './workers.tsx';

/** Milliseconds from an answer to the next look while the page is seen. The service samples as often. */
const LOOK_MS = 10_000;

/** How the service is: one request, repeated while the page is seen. */
export default function SystemPage() {
  const { data, failure, isLoading, again } = useLoad('system', (signal) => read('getSystem', { signal }));
  useEffect(() => {
    // Another request would abort the one that is under way.
    if (isLoading) return undefined;
    const timer = setInterval(() => document.hidden || again(), LOOK_MS);
    return () => clearInterval(timer);
  }, [isLoading]);
  return (
    <div class="page">
      <header class="page-head">
        <h1>{text('system')}</h1>
        {data && <Verdict of={data.checks} />}
      </header>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (
        <>
          <section class="card">
            <Facts
              of={[
                [text('system.version'), data.version],
                [text('system.engine'), data.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'],
                ['Node.js', data.node],
                [text('system.started'), <Time key="started" at={data.started_at} />],
              ]}
            />
          </section>
          <Section title={text('system.health')}>
            <Findings of={data.checks} />
          </Section>
          <Rates of={data.rates} />
          <div class="columns">
            <Section title={text('system.waiting')}>
              <Facts
                of={[
                  [text('system.mails'), count(data.waiting.mails)],
                  [text('system.deliveries'), count(data.waiting.webhook_deliveries)],
                  [text('system.webhooks_paused'), count(data.waiting.webhooks_paused)],
                  [text('system.index_changes'), count(data.waiting.index_changes)],
                  [text('system.feed_changes'), count(data.waiting.feed_changes)],
                ]}
              />
            </Section>
            <Section title={text('system.sizes')}>
              <Facts
                of={[
                  [text('system.database'), bytes(data.sizes.database_bytes)],
                  [text('system.log'), bytes(data.sizes.log_bytes)],
                  [text('system.index'), bytes(data.sizes.index_bytes)],
                  [text('system.disk'), diskText(data.sizes)],
                  [text('system.sessions'), count(data.sizes.sessions)],
                  [text('system.streams'), count(data.sizes.event_streams)],
                ]}
              />
            </Section>
          </div>
          <Workers of={data.workers} />
          <Backups state={data.backups} onAsked={again} />
          <Section title={text('system.public')} what={text('system.public.what')}>
            <Findings of={data.going_public} />
          </Section>
          <Jobs of={data.jobs} />
          <Settings of={data.settings} />
        </>
      )}
    </div>
  );
}

function count(number: number | undefined): string | undefined {
  return number === undefined ? undefined : numberText(number);
}

function bytes(number: number | undefined): string | undefined {
  return number === undefined ? undefined : bytesText(number);
}

interface Sizes {
  readonly disk_free_bytes?: number;
  readonly disk_bytes?: number;
}

function diskText({ disk_free_bytes: free, disk_bytes: all }: Sizes): string | undefined {
  if (free === undefined || all === undefined) return undefined;
  return text('system.disk.free', { free: bytesText(free), all: bytesText(all) });
}
