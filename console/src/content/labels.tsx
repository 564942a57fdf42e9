import { useSignal } from '@preact/signals';
import { KeptButton } from '../parts/kept-button.tsx';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { countText } from '../parts/times.ts';
import { read } from './ask.ts';
import { BackToList } from './back-to-list.tsx';
import { RenameLabel } from './rename-label.tsx';
import { Renaming } from './renaming.tsx';
import { account, setAddress, text, useAddress } from './shell.ts';

const PER_PAGE = 50;

/** All tags and categories, with how many items have each. Editors and admins rename them. */
export default function Labels() {
  const address = useAddress();
  const kind = address.kind === 'category' ? 'category' : 'tag';
  const page = Number(address.page) || 1;
  const prefix = address.prefix ?? '';
  const { data, failure, isLoading, again } = useLoad(`labels ${kind} ${page} ${prefix}`, (signal) =>
    read(kind === 'tag' ? 'listTags' : 'listCategories', {
      query: { page, per_page: PER_PAGE, ...(prefix !== '' && { prefix }) },
      signal,
    }),
  );
  const mayRename = account()?.role !== 'member';
  const renamed = useSignal<{ readonly name: string; readonly count: number } | undefined>(undefined);
  const begun = useSignal(0);
  const tab = (name: 'tag' | 'category', label: string) => (
    <a
      href={name === 'tag' ? 'content/labels' : 'content/labels?kind=category'}
      aria-current={kind === name ? 'page' : undefined}
    >
      {label}
    </a>
  );
  return (
    <div class="content-page">
      <p>
        <BackToList />
      </p>
      <h1>{text('content.labels')}</h1>
      <nav class="content-tabs" aria-label={text('content.labels')}>
        {tab('tag', text('content.tags'))}
        {tab('category', text('content.categories'))}
      </nav>
      <label class="field content-words">
        <span>{text('content.labels.search')}</span>
        <input
          type="search"
          value={prefix}
          maxLength={64}
          onChange={({ currentTarget }) =>
            setAddress({ ...address, page: undefined, prefix: currentTarget.value })
          }
        />
      </label>
      <NotRead failure={failure} isLoading={isLoading} again={again} />
      {data && (data.total ?? 0) === 0 && (
        <div class="content-empty">
          <p>{text('content.labels.none')}</p>
        </div>
      )}
      {mayRename && address.renaming && (
        <Renaming
          key={`${kind} ${address.renaming} ${begun.value}`}
          kind={kind}
          from={address.renaming}
          onEnded={again}
        />
      )}
      <ul class="content-labels">
        {data?.items.map(({ name, count }) => (
          <li key={name}>
            <a href={`content?${kind}=${encodeURIComponent(name)}`} dir="auto">
              {name}
            </a>
            <span>{countText('content.labels.count', count)}</span>
            {mayRename && (
              <KeptButton
                look="link"
                onClick={() => {
                  renamed.value = { name, count };
                }}
              >
                {text('content.labels.rename')}
                <span class="visually-hidden"> {name}</span>
              </KeptButton>
            )}
          </li>
        ))}
      </ul>
      {renamed.value && (
        <RenameLabel
          {...renamed.value}
          kind={kind}
          onClose={() => {
            renamed.value = undefined;
          }}
          onBegun={() => {
            const { name } = renamed.value ?? {};
            renamed.value = undefined;
            begun.value++;
            setAddress({ ...address, renaming: name });
          }}
        />
      )}
      {data && (
        <Pages
          page={page}
          shown={data.page}
          last={Math.max(1, Math.ceil((data.total ?? 0) / PER_PAGE))}
          onPage={(next, how) => setAddress({ ...address, page: String(next) }, how)}
        />
      )}
    </div>
  );
}
