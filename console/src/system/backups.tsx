import { useSignal } from '@preact/signals';
import { Act } from '../parts/act.tsx';
import { Facts } from '../parts/facts.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Notice } from '../parts/notice.tsx';
import { Pages } from '../parts/pages.tsx';
import { Section } from '../parts/section.tsx';
import { Time } from '../parts/time.tsx';
import { numberText, spanText, timeText } from '../parts/times.ts';
import { ask, read } from '../shell/ask.ts';
import { text } from '../text/text.ts';
import { bytesText } from './bytes.ts';

interface State {
  readonly every_seconds?: number;
  readonly keep: number;
  readonly doing: 'nothing' | 'asked' | 'under_way';
  readonly made_at?: string;
  readonly proved_at?: string;
  readonly problem?: string;
  readonly failed_at?: string;
  readonly next_at?: string;
  readonly bucket?: Bucket;
}

/** What became of sending the newest backup. */
interface Bucket {
  readonly name: string;
  readonly sent_at?: string;
  readonly problem?: string;
  readonly failed_at?: string;
}

interface Props {
  readonly state: State;
  readonly onAsked: () => void;
}

const PER_PAGE = 10;

/** Backups: how they are, a button for one more, and the files. */
export function Backups({ state, onAsked }: Props) {
  const { every_seconds, keep, doing, made_at, proved_at, problem, failed_at, next_at, bucket } = state;
  return (
    <Section title={text('backups')} what={text('backups.what')}>
      <Failure what={text('backups.failed')} at={failed_at} problem={problem} />
      <Failure what={text('backups.unsent')} at={bucket?.failed_at} problem={bucket?.problem} />
      <Facts
        of={[
          [text('backups.made'), made_at ? <Time at={made_at} /> : text('never')],
          [text('backups.proved'), proved_at && <Time at={proved_at} />],
          [text('backups.every'), every_seconds ? spanText(every_seconds) : text('backups.off')],
          [text('backups.next'), next_at && nextText(next_at)],
          [text('backups.keep'), numberText(keep)],
          [text('backups.bucket'), bucket?.name],
          [text('backups.sent'), bucket && (bucket.sent_at ? <Time at={bucket.sent_at} /> : text('never'))],
        ]}
      />
      <div class="actions">
        {doing === 'nothing' ? (
          <Act
            label={text('backups.now')}
            onAct={async () => {
              const result = await ask('requestBackup');
              if (result.ok) onAsked();
              return result.ok ? undefined : result;
            }}
          />
        ) : (
          <Notice>{text(`backups.${doing}`)}</Notice>
        )}
      </div>
      <Files round={`${proved_at} ${doing}`} />
    </Section>
  );
}

interface FailureProps {
  readonly what: string;
  readonly at: string | undefined;
  readonly problem: string | undefined;
}

function Failure({ what, at, problem }: FailureProps) {
  if (at === undefined) return null;
  return (
    <Notice kind="bad">
      <span>
        {what} <Time at={at} />
      </span>
      <code lang="en">{problem}</code>
    </Notice>
  );
}

/** What is due already begins within seconds. */
function nextText(at: string) {
  return Date.parse(at) <= Date.now() ? text('backups.due') : <Time at={at} />;
}

/** The files of the folder. They are read again when another backup is there. */
function Files({ round }: { readonly round: string }) {
  const page = useSignal(1);
  const { data, failure, isLoading, again } = useLoad(`backups ${page.value} ${round}`, (signal) =>
    read('listBackups', { query: { page: page.value, per_page: PER_PAGE }, signal }),
  );
  if (failure) return <NotRead failure={failure} isLoading={isLoading} again={again} />;
  if (!data) return null;
  if (data.total === 0) return <p class="empty">{text('backups.none')}</p>;
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{text('backups.file')}</th>
            <th scope="col">{text('backups.size')}</th>
            <th scope="col">{text('backups.proof')}</th>
          </tr>
        </thead>
        <tbody>
          {data.items.map(({ name, begun_at, bytes, proved_at }) => (
            <tr key={name}>
              <th scope="row">
                {timeText(begun_at)}
                <div class="muted wide-only">{name}</div>
              </th>
              <td>{bytesText(bytes)}</td>
              <td>
                <span
                  class={`badge ${proved_at ? 'badge-good' : ''}`}
                  title={proved_at && timeText(proved_at)}
                >
                  {text(proved_at ? 'backups.is_proved' : 'backups.not_proved')}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Pages
        page={page.value}
        last={Math.max(1, Math.ceil(data.total / PER_PAGE))}
        onPage={(next) => {
          page.value = next;
        }}
      />
    </>
  );
}
