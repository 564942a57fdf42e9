import { useLoad } from '../parts/load.ts';
import { Pages } from '../parts/pages.tsx';
import { countText } from '../parts/times.ts';
import { ask } from './ask.ts';
import { setAddress, text, useAddress } from './shell.ts';

const PER_PAGE = 50;

/** All tags and categories, with how many items have each. */
export default function Labels() {
  const address = useAddress();
  const kind = address.kind === 'category' ? 'category' : 'tag';
  const page = Number(address.page) || 1;
  const prefix = address.prefix ?? '';
  const { data, error } = useLoad(`labels ${kind} ${page} ${prefix}`, (signal) =>
    ask(kind === 'tag' ? 'listTags' : 'listCategories', {
      query: { page, per_page: PER_PAGE, ...(prefix !== '' && { prefix }) },
      signal,
    }),
  );
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
      <header class="content-head">
        <h1>{text('content.labels')}</h1>
        <a href="content" class="content-back">
          <span aria-hidden="true">←</span> {text('content.list')}
        </a>
      </header>
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
            setAddress({
              ...(kind === 'category' && { kind }),
              ...(currentTarget.value && { prefix: currentTarget.value }),
            })
          }
        />
      </label>
      {error !== undefined && (
        <p class="notice notice-bad" role="alert">
          {error}
        </p>
      )}
      {data && data.items.length === 0 && (
        <div class="content-empty">
          <p>{text('content.labels.none')}</p>
        </div>
      )}
      <ul class="content-labels">
        {data?.items.map(({ name, count }) => (
          <li key={name}>
            <a href={`content?${kind}=${encodeURIComponent(name)}`} dir="auto">
              {name}
            </a>
            <span>{countText('content.labels.count', count)}</span>
          </li>
        ))}
      </ul>
      {data && (
        <Pages
          page={page}
          last={Math.max(1, Math.ceil((data.total ?? 0) / PER_PAGE))}
          onPage={(next) => setAddress({ ...address, page: String(next) })}
        />
      )}
    </div>
  );
}
