import type { ComponentChildren } from 'preact';

/** Names and what is behind them; a name without anything is left out. */
export function Facts({ of }: { readonly of: readonly (readonly [string, ComponentChildren])[] }) {
  const known = of.filter(([, value]) => value !== undefined && value !== null && value !== '');
  return (
    <dl class="facts">
      {known.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
