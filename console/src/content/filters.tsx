import { KeptButton } from '../parts/kept-button.tsx';
import { Late } from '../parts/late.tsx';
import { LabelInput } from './label-input.tsx';
import { type ListView, SORTS } from './list-query.ts';
import { account, setAddress, text, useAddress } from './shell.ts';

/** The filters of the list. Each change is a new address, so Back takes it back. */
export function Filters({ view }: { readonly view: ListView }) {
  const address = useAddress();
  const isDraft = view.status === 'draft';
  const set = (part: Readonly<Record<string, string>>) => {
    const next = { ...address, page: undefined, ...part };
    setAddress(
      Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined && value !== '')),
    );
  };
  const me = account();
  return (
    <search class="content-filters">
      {!isDraft && (
        <Late
          value={view.keyword}
          onValue={(keyword) => set({ keyword, sort: '' })}
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
          onChange={({ currentTarget }) =>
            setAddress({
              ...(currentTarget.value === 'draft' && { status: 'draft' }),
              ...(view.author !== '' && { author: view.author }),
            })
          }
        >
          <option value="published">{text('content.status.published')}</option>
          <option value="draft">{text('content.status.drafts')}</option>
        </select>
      </label>
      {!isDraft && (
        <>
          <Late
            value={view.category}
            onValue={(category) => set({ category })}
            field={(value, onInput) => (
              <LabelInput kind="category" label={text('content.category')} value={value} onInput={onInput} />
            )}
          />
          <Late
            value={view.tag}
            onValue={(tag) => set({ tag })}
            field={(value, onInput) => (
              <LabelInput kind="tag" label={text('content.tag')} value={value} onInput={onInput} />
            )}
          />
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
        </>
      )}
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
