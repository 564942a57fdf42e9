import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { useLoad } from '../parts/load.ts';
import { ask } from '../shell/ask.ts';
import { text } from '../text/text.ts';

interface Props {
  readonly id: number | undefined;
  readonly onId: (id: number | undefined) => void;
}

/** Whom the events are about: a button that takes the filter away, or a field that finds an account. */
export function PersonFilter({ id, onId }: Props) {
  return id === undefined ? <Find onId={onId} /> : <Chosen id={id} onId={onId} />;
}

function Chosen({ id, onId }: Props & { readonly id: number }) {
  const { data } = useLoad(`account ${id}`, (signal) => ask('getUser', { path: { id }, signal }));
  const name = data?.username ?? text('trail.account.number', { id });
  return (
    <div class="field">
      <span>{text('trail.account')}</span>
      <button type="button" class="button" onClick={() => onId(undefined)}>
        {text('trail.account.only', { name })}
        <span aria-hidden="true">×</span>
        <span class="visually-hidden">{text('trail.account.clear')}</span>
      </button>
    </div>
  );
}

/** What was found for some words. */
interface Found {
  readonly keyword: string;
  readonly people: readonly { readonly id: number; readonly username: string; readonly email?: string }[];
}

/**
 * A name from the list is a filter at once, and one that is typed is not: it may be the beginning of a longer one.
 * Enter takes the account with this name, or else the first that the words find, when it is known.
 */
function Find({ onId }: Pick<Props, 'onId'>) {
  const list = useId();
  const keyword = useSignal('');
  const isFirstWanted = useSignal(false);
  const { data } = useLoad<Found>(`accounts ${keyword.value}`, async (signal) => {
    const words = keyword.peek();
    if (words === '') return { ok: true, data: { keyword: words, people: [] } };
    const query = { view: 'admin' as const, keyword: words, per_page: 8 };
    const result = await ask('listUsers', { query, signal });
    return result.ok ? { ok: true, data: { keyword: words, people: result.data.items } } : result;
  });
  const people = data?.people ?? [];
  const named = (name: string) => people.find(({ username }) => username === name);
  const first = data?.keyword === keyword.value ? (named(keyword.value) ?? people[0]) : undefined;
  const wanted = isFirstWanted.value ? first?.id : undefined;
  useEffect(() => {
    if (wanted !== undefined) onId(wanted);
  }, [wanted]);
  return (
    <label class="field">
      <span>{text('trail.account')}</span>
      <input
        type="search"
        list={list}
        value={keyword.value}
        maxLength={100}
        placeholder={text('trail.account.how')}
        onInput={({ currentTarget: { value }, inputType }) => {
          isFirstWanted.value = false;
          // Browsers tell a choice from the list as a replacement, or as no kind of typing.
          const isChoice = inputType === undefined || inputType === 'insertReplacementText';
          const chosen = isChoice ? named(value) : undefined;
          if (chosen) onId(chosen.id);
          else keyword.value = value;
        }}
        onKeyDown={({ key }) => {
          if (key === 'Enter') isFirstWanted.value = true;
        }}
      />
      <datalist id={list}>
        {people.map(({ id, username, email }) => (
          <option key={id} value={username} label={email ?? username} />
        ))}
      </datalist>
    </label>
  );
}
