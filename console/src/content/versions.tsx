import { useSignal } from '@preact/signals';
import { Act } from '../parts/act.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { numberText, timeText } from '../parts/times.ts';
import { ask, read } from './ask.ts';
import { Difference, memberText } from './difference.tsx';
import { readStored, type Stored } from './record.ts';
import { goFromHere, setAddress, text, useAddress } from './shell.ts';

const PER_PAGE = 20;

/** The versions of an item, what differs in two of them, and restoring one. */
export default function Versions({ params }: { readonly params: Readonly<Record<string, string>> }) {
  const id = Number(params.id);
  const address = useAddress();
  const page = Number(address.page) || 1;
  const shown = Number(address.version) || undefined;
  const chosen = useSignal<object | undefined>(undefined);
  const { data, failure, isLoading, again } = useLoad(`versions ${id} ${page}`, (signal) =>
    read('listContentVersions', { path: { id }, query: { page, per_page: PER_PAGE }, signal }),
  );
  const item = useLoad(`item ${id} ${page}`, (signal) => readStored(id, signal));
  const restore = async (version: number, { itemTag }: Stored) => {
    const leave = goFromHere();
    const headers = { 'if-match': itemTag };
    const done = await ask('restoreContentVersion', { path: { id, version }, headers });
    if (done.ok) leave(`/content/${id}`);
    else if (done.status === 412) {
      // The author sees what was saved meanwhile before trying again.
      again();
      item.again();
    }
    return done.ok ? undefined : done;
  };
  const { data: stored } = item;
  const newest = page === 1 ? data?.items[0]?.version : undefined;
  return (
    <div class="content-page">
      <p>
        <a href={`content/${id}`} class="content-back">
          <span aria-hidden="true">←</span> {text('content.back')}
        </a>
      </p>
      <h1>{text('content.versions')}</h1>
      <NotRead
        failure={failure ?? item.failure}
        isLoading={isLoading || item.isLoading}
        again={() => {
          again();
          item.again();
        }}
      />
      <div class="content-versions">
        <div>
          <ol class="content-history" aria-label={text('content.versions')}>
            {data?.items.map(({ version, at, by, bytes, changed }) => (
              <li key={version} class={version === shown ? 'is-shown' : ''}>
                <button
                  type="button"
                  aria-current={version === shown}
                  onClick={() => {
                    chosen.value = {};
                    setAddress({ ...address, version: String(version) });
                  }}
                >
                  <strong>{text('content.version.number', { version })}</strong>
                  <time dateTime={at}>{timeText(at)}</time>
                  <span>{by.username}</span>
                  <small>
                    {text('content.bytes', { bytes: numberText(bytes) })}
                    {changed && ` · ${changed.map(memberText).join(', ')}`}
                  </small>
                </button>
                {version !== newest && stored && (
                  <Act
                    label={text('content.restore')}
                    about={text('content.version.number', { version })}
                    question={text('content.restore.ask', { version })}
                    what={<WhatRestoreDoes stored={stored} />}
                    onAct={() => restore(version, stored)}
                  />
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
          <Difference id={id} version={shown} chosen={chosen.value} />
        )}
      </div>
    </div>
  );
}

function WhatRestoreDoes({ stored: { status, draftTag } }: { readonly stored: Stored }) {
  return (
    <>
      <p>{text('content.restore.what')}</p>
      {status === 'published' && <p>{text('content.restore.at_once')}</p>}
      {draftTag !== undefined && <p>{text('content.restore.draft')}</p>}
    </>
  );
}
