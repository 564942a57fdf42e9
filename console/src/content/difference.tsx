import { useLoad } from '../parts/load.ts';
import { read } from './ask.ts';
import { text } from './shell.ts';

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value ?? null));

/** What a version has otherwise than the one before it, as the service compares them. */
export function Difference({ id, version }: { readonly id: number; readonly version: number }) {
  const { data, error } = useLoad(`difference ${id} ${version}`, (signal) =>
    read('compareContentVersions', { path: { id, version }, query: {}, signal }),
  );
  if (error !== undefined) return <p class="notice">{error}</p>;
  if (!data) return <p aria-busy="true">{text('content.loading')}</p>;
  const names = [...new Set([...Object.keys(data.removed), ...Object.keys(data.added)])];
  const [removed, added]: Record<string, unknown>[] = [data.removed, data.added];
  return (
    <section class="content-difference" aria-label={text('content.difference')}>
      <h2>{text('content.difference.of', { from: data.from, to: data.to })}</h2>
      {names.length > 0 && (
        <dl>
          {names.map((name) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {removed?.[name] !== undefined && <del dir="auto">{shown(removed[name])}</del>}{' '}
                {added?.[name] !== undefined && <ins dir="auto">{shown(added[name])}</ins>}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {data.content.map(({ from_line, to_line, parts }) => (
        <figure key={`${from_line} ${to_line}`}>
          <figcaption>{text('content.difference.line', { line: to_line })}</figcaption>
          <pre dir="auto">
            {parts.map(({ kind, text: part = ' … ' }) =>
              kind === 'removed' ? <del>{part}</del> : kind === 'added' ? <ins>{part}</ins> : part,
            )}
          </pre>
        </figure>
      ))}
      {names.length === 0 && data.content.length === 0 && <p>{text('content.difference.none')}</p>}
      {data.content_truncated && <p>{text('content.difference.cut')}</p>}
    </section>
  );
}
