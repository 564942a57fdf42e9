import { KeptButton } from '../parts/kept-button.tsx';
import { Late } from '../parts/late.tsx';
import { LabelInput } from './label-input.tsx';
import { LanguageFilter } from './language-filter.tsx';
import { type ListView, SORTS, WITH_DRAFT } from './list-query.ts';
import { account, setAddress, text, useAddress } from './shell.ts';

/** The filters of the list. Each change is a new address, so Back takes it back. */
export function Filters({ view }: { readonly view: ListView }) {
  const address = useAddress();
  const isPublished = view.status === 'published';
  const set = (part: Readonly<Record<string, string>>, how?: { readonly replace: boolean }) =>
    setAddress({ ...address, page: undefined, ...part }, how);
  const me = account();
  return (
    <search class="content-filters">
      {isPublished && (
        <Late
          value={view.keyword}
          onValue={(keyword, how) => set({ keyword, sort: '' }, how)}
          field={(value, onInput) => (
            <label class="field content-words">
              <span>{text('content.search')}</span>
              <input
                type="search"
                value={value}
                maxLength={100}
                placeholder={text('content.search.how')}
                onInput={({ currentTarget }) => onInput(currentTarget.value)}
              />
            </label>
          )}
        />
      )}
      <label class="field">
        <span>{text('content.status')}</span>
        <select
          value={view.status}
          onChange={({ currentTarget: { value } }) =>
            // Only published items are found by words.
            set({ status: value === 'published' ? '' : value, keyword: '', sort: '' })
          }
        >
          <option value="published">{text('content.status.published')}</option>
          <option value="draft">{text('content.status.drafts')}</option>
          <option value={WITH_DRAFT}>{text('content.status.with_draft')}</option>
        </select>
      </label>
      <Late
        value={view.category}
        onValue={(category, how) => set({ category }, how)}
        field={(value, onInput) => (
          <LabelInput kind="category" label={text('content.category')} value={value} onInput={onInput} />
        )}
      />
      <Late
        value={view.tag}
        onValue={(tag, how) => set({ tag }, how)}
        field={(value, onInput) => (
          <LabelInput kind="tag" label={text('content.tag')} value={value} onInput={onInput} />
        )}
      />
      <LanguageFilter value={view.language} onValue={(language) => set({ language })} />
      <label class="field">
        <span>{text('content.sort')}</span>
        <select value={view.sort} onChange={({ currentTarget }) => set({ sort: currentTarget.value })}>
          {(view.keyword === '' ? SORTS : (['relevance', ...SORTS] as const)).map((sort) => (
            <option key={sort} value={sort}>
              {text(`content.sort.${sort}`)}
            </option>
          ))}
        </select>
      </label>
      {me && (
        <label class="check">
          <input
            type="checkbox"
            checked={view.author === String(me.id)}
            onChange={({ currentTarget }) => set({ author: currentTarget.checked ? String(me.id) : '' })}
          />
          {text('content.mine')}
        </label>
      )}
      {view.author !== '' && view.author !== String(me?.id) && (
        <KeptButton look="chip" onClick={() => set({ author: '' })}>
          {text('content.by', { author: view.author })} ×
        </KeptButton>
      )}
    </search>
  );
}
