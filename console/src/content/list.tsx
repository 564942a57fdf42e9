import { ChoosePage, useChosen } from '../parts/chosen.tsx';
import { fieldProblem } from '../parts/failure.ts';
import { useLater } from '../parts/later.ts';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { Pages } from '../parts/pages.tsx';
import { countText } from '../parts/times.ts';
import { withTexts } from '../text/more.ts';
import { read } from './ask.ts';
import { noteList } from './back-to-list.tsx';
import { Filters } from './filters.tsx';
import { hasSamples } from './has-samples.ts';
import { filterOf, type ListView, lastPage, queryOf, viewOf, WITH_DRAFT } from './list-query.ts';
import { Row } from './row.tsx';
import { mayChange, setAddress, text, useAddress } from './shell.ts';

const loadBulk = withTexts(['bulk'], () => import('./bulk.tsx'));
const loadSamples = withTexts(['account'], () => import('./samples-notice.tsx'));

/** All content that the account may see, found by words and filters. The address holds the view. */
export default function List() {
  noteList();
  const address = useAddress();
  const view = viewOf(address);
  const query = queryOf(view);
  const key = JSON.stringify(query);
  const { data, failure, isLoading, again } = useLoad(key, (signal) =>
    read('listContent', { query, signal }),
  );
  const { chosen, bulk } = useChosen('content', key, loadBulk);
  const samples = useLater(hasSamples(), loadSamples);
  const items = data?.items ?? [];
  const total = data?.total ?? 0;
  const ids = items.filter(({ author }) => mayChange(author.id)).map(({ id }) => id);
  return (
    <div class="content-page">
      <header class="content-head">
        <h1>{text('content.list')}</h1>
        <nav aria-label={text('content.places')} class="content-places">
          <a href="content/labels">{text('content.labels')}</a>
          <a href="content/trash">{text('content.trash')}</a>
        </nav>
        <a href="content/new" class="button button-primary">
          {text('content.new')}
        </a>
      </header>
      {samples && <samples.SamplesNotice onRemoved={again} />}
      <Filters view={view} />
      <NotRead
        failure={failure}
        said={fieldProblem(failure, 'language')}
        isLoading={isLoading}
        again={again}
      />
      <div class="summary">
        <ChoosePage label={text('choose_page')} ids={ids} chosen={chosen} />
        <span role="status">
          {data ? countText('content.total', total) : isLoading && text('content.loading')}
        </span>
      </div>
      {bulk && (
        <bulk.ContentBulk key={key} chosen={chosen} ids={ids} view={view} total={total} onDone={again} />
      )}
      {data?.total === 0 ? (
        <div class="content-empty">
          <None view={view} />
        </div>
      ) : (
        <ul class="content-list" aria-busy={isLoading}>
          {items.map((item) => (
            <Row key={item.id} item={item} status={view.status} chosen={chosen} />
          ))}
        </ul>
      )}
      {data && (
        <Pages
          page={view.page}
          shown={data.page}
          last={lastPage(view, total)}
          isCut={lastPage(view, total) * 20 < total}
          onPage={(page, how) => setAddress({ ...address, page: page === 1 ? undefined : String(page) }, how)}
        />
      )}
    </div>
  );
}

/** What a list without items says. */
function None({ view }: { readonly view: ListView }) {
  const { status, ...filters } = { status: undefined, ...filterOf(view) };
  if (Object.keys(filters).length > 0) return <p>{text('content.none_found')}</p>;
  if (status === WITH_DRAFT) return <p>{text('content.none_with_draft')}</p>;
  if (status === 'draft') return <p>{text('content.none_drafts')}</p>;
  return (
    <p>
      {text('content.none')} <a href="content/new">{text('content.none.link')}</a>{' '}
      <a href="content?status=draft">{text('content.status.drafts')}</a>
    </p>
  );
}
