import { securityEventText } from '../parts/event-list.tsx';
import { Late } from '../parts/late.tsx';
import { fromLocal, toLocal } from '../parts/times.ts';
import { setAddress, useAddress } from '../shell/address.ts';
import { text, textNames } from '../text/text.ts';
import { PersonFilter } from './person-filter.tsx';
import { queryOf } from './query.ts';

/** The filters of the trail. Each change is a new address, so Back takes it back. */
export function Filters() {
  const address = useAddress();
  const { event, account, since, until } = queryOf(address);
  const set = (part: Readonly<Record<string, string | undefined>>, how?: { readonly replace: boolean }) =>
    setAddress({ ...address, page: undefined, ...part }, how);
  const time = (name: 'since' | 'until', value: string | undefined) => (
    <Late
      value={value === undefined ? '' : toLocal(value)}
      onValue={(local, how) => set({ [name]: fromLocal(local) }, how)}
      field={(typed, onInput) => (
        <label class="field">
          <span>{text(`trail.${name}`)}</span>
          <input
            type="datetime-local"
            value={typed}
            onInput={({ currentTarget }) => onInput(currentTarget.value)}
          />
        </label>
      )}
    />
  );
  return (
    <search class="filters">
      <label class="field">
        <span>{text('trail.event')}</span>
        <select value={event ?? ''} onChange={({ currentTarget }) => set({ event: currentTarget.value })}>
          <option value="">{text('all')}</option>
          {textNames('event.')
            .map((name) => [name, securityEventText(name)] as const)
            .sort(([, one], [, other]) => one.localeCompare(other))
            .map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
        </select>
      </label>
      <PersonFilter id={account} onId={(id) => set({ account: id === undefined ? undefined : String(id) })} />
      {time('since', since)}
      {time('until', until)}
      <Late
        value={address.address ?? ''}
        onValue={(value, how) => set({ address: value.trim() }, how)}
        field={(value, onInput) => (
          <label class="field">
            <span>{text('trail.address')}</span>
            <input
              type="search"
              value={value}
              maxLength={64}
              onInput={({ currentTarget }) => onInput(currentTarget.value)}
            />
          </label>
        )}
      />
    </search>
  );
}
