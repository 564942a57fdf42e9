import { useEffect, useRef } from 'preact/hooks';
import { focusOn } from '../parts/focus.ts';
import { useLoad } from '../parts/load.ts';
import { NotRead } from '../parts/not-read.tsx';
import { isText } from '../text/text.ts';
import { read } from './ask.ts';
import { text } from './shell.ts';

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  const isLabels = Array.isArray(value) && value.every((each) => typeof each === 'string');
  return isLabels ? value.join(', ') : JSON.stringify(value ?? null);
}

/** What people call a member of an item; the name of the member where there is no word for it. */
export function memberText(name: string): string {
  const key = `content.${name === 'content' ? 'text' : name}`;
  return isText(key) ? text(key) : name;
}

interface Props {
  readonly id: number;
  readonly version: number;
  /** The last choice in the list; undefined where the address chose. */
  readonly chosen: object | undefined;
}

/** What a version has otherwise than the one before it, as the service compares them. */
export function Difference({ id, version, chosen }: Props) {
  const { data, failure, isLoading, again } = useLoad(`difference ${id} ${version}`, (signal) =>
    read('compareContentVersions', { path: { id, version }, query: {}, signal }),
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const isThere = data?.to === version;
  useEffect(() => {
    if (!isThere || !chosen || !heading.current) return;
    focusOn(heading.current);
    // In a narrow window the difference is below the list.
    if (matchMedia('(width < 60rem)').matches) heading.current.scrollIntoView();
  }, [isThere, chosen]);
  if (failure) return <NotRead failure={failure} isLoading={isLoading} again={again} />;
  if (!data) return <p aria-busy="true">{text('content.loading')}</p>;
  const names = [...new Set([...Object.keys(data.removed), ...Object.keys(data.added)])];
  const [removed, added]: Record<string, unknown>[] = [data.removed, data.added];
  return (
    <section class="content-difference" aria-label={text('content.difference')}>
      <h2 ref={heading}>{text('content.difference.of', { from: data.from, to: data.to })}</h2>
      {names.length > 0 && (
        <dl>
          {names.map((name) => (
            <div key={name}>
              <dt>{memberText(name)}</dt>
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
