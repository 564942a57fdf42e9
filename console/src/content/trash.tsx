import { useSignal } from '@preact/signals';
import { Act } from '../parts/act.tsx';
import { failureText } from '../parts/failure.ts';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { timeText } from '../parts/times.ts';
import { ask, read } from './ask.ts';
import { BackToList } from './back-to-list.tsx';
import { Snippet } from './marked.tsx';
import { account, setAddress, text, useAddress } from './shell.ts';

const PER_PAGE = 20;

/** What was deleted and can come back for some days. */
export default function Trash() {
  const address = useAddress();
  const page = Number(address.page) || 1;
  const told = useSignal<{ message: string; isBad: boolean; id?: number } | undefined>(undefined);
  const { data, failure, isLoading, again } = useLoad(`trash ${page}`, (signal) =>
    read('listTrash', { query: { page, per_page: PER_PAGE }, signal }),
  );
  const me = account();
  const act = async (
    operation: 'restoreContent' | 'purgeContent',
    { id, title }: { id: number; title: string },
  ) => {
    const done = await ask(operation, { path: { id } });
    if (!done.ok) told.value = { message: failureText(done), isBad: true };
    else if (operation === 'restoreContent')
      told.value = { message: text('content.trash.restored', { title }), isBad: false, id };
    else told.value = { message: text('content.trash.purged', { title }), isBad: false };
    again();
    return undefined;
  };
  const mayPurge = (author: number) => me?.role === 'admin' || me?.id === author;
  return (
    <div class="content-page">
      <p>
        <BackToList />
      </p>
      <h1>{text('content.trash')}</h1>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {told.value && (
        <p class={`notice ${told.value.isBad ? 'notice-bad' : 'notice-good'}`} role="status">
          {told.value.message}{' '}
          {told.value.id !== undefined && <a href={`content/${told.value.id}`}>{text('content.open')}</a>}
        </p>
      )}
      {data?.total === 0 && (
        <div class="content-empty">
          <p>{text('content.trash.none')}</p>
        </div>
      )}
      <ul class="content-list">
        {data?.items.map(({ id, title, content, language, author, trashed_at, trashed_by, purge_at }) => (
          <li key={id} class="content-row content-trashed">
            <div class="content-what">
              <h2 dir="auto" lang={language}>
                {title}
              </h2>
              <Snippet text={content} lang={language} />
              <p class="content-about">
                <span>
                  {text('content.trash.by', { name: trashed_by.username, at: timeText(trashed_at) })}
                </span>
                <span>{text('content.trash.until', { at: timeText(purge_at) })}</span>
              </p>
            </div>
            <div class="content-does">
              <Act
                label={text('content.restore')}
                about={title}
                onAct={() => act('restoreContent', { id, title })}
              />
              {mayPurge(author.id) && (
                <Act
                  label={text('content.purge')}
                  about={title}
                  question={text('content.purge.ask', { title })}
                  what={<p>{text('content.purge.what')}</p>}
                  isDanger
                  onAct={() => act('purgeContent', { id, title })}
                />
              )}
            </div>
          </li>
        ))}
      </ul>
      {data && (
        <Pages
          page={page}
          shown={data.page}
          last={Math.max(1, Math.ceil(data.total / PER_PAGE))}
          onPage={(next, how) => setAddress({ page: String(next) }, how)}
        />
      )}
    </div>
  );
}
