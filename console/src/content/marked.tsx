type Ranges = readonly (readonly number[])[] | undefined;

/** Characters of a text before its first match, and in all. */
const BEFORE = 60;
const SHOWN = 220;

/** The text with its matches marked. Ranges count code points, from one to before another. */
function pieces(points: readonly string[], ranges: Ranges, from: number, to: number) {
  const shown: (string | { readonly match: string })[] = [];
  let at = from;
  for (const [start = 0, end = 0] of ranges ?? []) {
    if (start < at || end > to) continue;
    shown.push(points.slice(at, start).join(''), { match: points.slice(start, end).join('') });
    at = end;
  }
  return [...shown, points.slice(at, to).join('')];
}

function Pieces({ of }: { readonly of: ReturnType<typeof pieces> }) {
  return <>{of.map((piece) => (typeof piece === 'string' ? piece : <mark>{piece.match}</mark>))}</>;
}

export function Marked({ text, ranges }: { readonly text: string; readonly ranges: Ranges }) {
  const points = [...text];
  return <Pieces of={pieces(points, ranges, 0, points.length)} />;
}

interface SnippetProps {
  readonly text: string;
  readonly ranges?: Ranges;
  /** The language of the text, if it is known. */
  readonly lang?: string | undefined;
}

/** The part of a text around its first match, or its beginning. */
export function Snippet({ text, ranges, lang }: SnippetProps) {
  const points = [...text.slice(0, 40_000)];
  const first = ranges?.[0]?.[0] ?? 0;
  const from = first > BEFORE ? first - BEFORE : 0;
  const to = Math.min(points.length, from + SHOWN);
  return (
    <p class="content-snippet" dir="auto" lang={lang}>
      {from > 0 && '… '}
      <Pieces of={pieces(points, ranges, from, to)} />
      {to < points.length && ' …'}
    </p>
  );
}
