import { useSignal } from '@preact/signals';
import { Dialog } from '../parts/dialog.tsx';
import { failureText } from '../parts/failure.ts';
import { useLoad } from '../parts/load.ts';
import { Pages } from '../parts/pages.tsx';
import { numberText, timeText } from '../parts/times.ts';
import { ask, read } from './ask.ts';
import { Difference, memberText } from './difference.tsx';
import { go, setAddress, text, useAddress } from './shell.ts';

const PER_PAGE = 20;

/** The versions of an item, what differs in two of them, and restoring one. */
export default function Versions({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const id = Number(params.id);
  const address = useAddress();
  const page = Number(address.page) || 1;
  const shown = Number(address.version) || undefined;
  const asked = useSignal<number | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const { data, error } = useLoad(`versions ${id} ${page}`, (signal) =>
    read('listContentVersions', { path: { id }, query: { page, per_page: PER_PAGE }, signal }),
  );
  const restore = async (version: number) => {
    asked.value = undefined;
    const done = await ask('restoreContentVersion', { path: { id, version } });
    if (done.ok) go(`/content/${id}`);
    else problem.value = failureText(done);
  };
  const newest = page === 1 ? data?.items[0]?.version : undefined;
  return (
    <div class="content-page">
      <p>
        <a href={`content/${id}`} class="content-back">
          <span aria-hidden="true">←</span> {text('content.back')}
        </a>
      </p>
      <h1>{text('content.versions')}</h1>
      {(error ?? problem.value) !== undefined && (
        <p class="notice notice-bad" role="alert">
          {error ?? problem.value}
        </p>
      )}
      <div class="content-versions">
        <div>
          <ol class="content-history" aria-label={text('content.versions')}>
            {data?.items.map(({ version, at, by, bytes, changed }) => (
              <li key={version} class={version === shown ? 'is-shown' : ''}>
                <button
                  type="button"
                  aria-current={version === shown}
                  onClick={() => setAddress({ ...address, version: String(version) })}
                >
                  <strong>{text('content.version.number', { version })}</strong>
                  <time dateTime={at}>{timeText(at)}</time>
                  <span>{by.username}</span>
                  <small>
                    {text('content.bytes', { bytes: numberText(bytes) })}
                    {changed && ` · ${changed.map(memberText).join(', ')}`}
                  </small>
                </button>
                {version !== newest && (
                  <button
                    type="button"
                    class="button"
                    onClick={() => {
                      asked.value = version;
                    }}
                  >
                    {text('content.restore')}
                  </button>
                )}
              </li>
            ))}
          </ol>
          {data && (
            <Pages
              page={page}
              last={Math.max(1, Math.ceil((data.total ?? 0) / PER_PAGE))}
              onPage={(next) => setAddress({ ...address, page: String(next) })}
            />
          )}
        </div>
        {shown === undefined ? (
          <p class="content-empty">{text('content.versions.choose')}</p>
        ) : (
          <Difference id={id} version={shown} />
        )}
      </div>
      {asked.value !== undefined && (
        <Dialog
          title={text('content.restore.ask', { version: asked.value })}
          action={text('content.restore')}
          onYes={() => asked.value !== undefined && void restore(asked.value)}
          onClose={() => {
            asked.value = undefined;
          }}
        >
          <p>{text('content.restore.what')}</p>
        </Dialog>
      )}
    </div>
  );
}
