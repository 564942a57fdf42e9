import { Late } from '../parts/late.tsx';
import { setAddress, useAddress } from '../shell/address.ts';
import { text } from '../text/text.ts';
import { ROLES, SORTS, STATES } from './query.ts';

/** The filters of the list. Each change is a new address, so Back takes it back. */
export function Filters() {
  const address = useAddress();
  const set = (part: Readonly<Record<string, string>>, how?: { readonly replace: boolean }) =>
    setAddress({ ...address, page: undefined, ...part }, how);
  return (
    <search class="filters">
      <Late
        value={address.keyword ?? ''}
        onValue={(keyword, how) => set({ keyword }, how)}
        field={(value, onInput) => (
          <label class="field filters-words">
            <span>{text('people.search')}</span>
            <input
              type="search"
              value={value}
              maxLength={100}
              placeholder={text('people.search.how')}
              onInput={({ currentTarget }) => onInput(currentTarget.value)}
            />
          </label>
        )}
      />
      <label class="field">
        <span>{text('role')}</span>
        <select
          value={address.role ?? ''}
          onChange={({ currentTarget }) => set({ role: currentTarget.value })}
        >
          <option value="">{text('all')}</option>
          {ROLES.map((role) => (
            <option key={role} value={role}>
              {text(`role.${role}`)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{text('state')}</span>
        <select
          value={address.state ?? ''}
          onChange={({ currentTarget }) => set({ state: currentTarget.value })}
        >
          <option value="">{text('all')}</option>
          {STATES.map((state) => (
            <option key={state} value={state}>
              {text(`state.${state}`)}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>{text('sort')}</span>
        <select
          value={address.sort ?? 'id'}
          onChange={({ currentTarget }) => set({ sort: currentTarget.value })}
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {text(`people.sort.${sort}`)}
            </option>
          ))}
        </select>
      </label>
    </search>
  );
}
