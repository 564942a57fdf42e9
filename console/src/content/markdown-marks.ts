import { RangeSetBuilder } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

const marks = Object.fromEntries(
  ['heading', 'quote', 'code', 'strong', 'emphasis', 'link', 'list'].map((name) => [
    name,
    Decoration.mark({ class: `md-${name}` }),
  ]),
);

/** A line that is one thing, by its beginning. */
const LINES: readonly (readonly [string, RegExp])[] = [
  ['heading', /^#{1,6}\s/],
  ['quote', /^\s{0,3}>/],
  ['code', /^(?:\s{0,3}(?:```|~~~)| {4}|\t)/],
];
/** What can be anywhere in a line. Each repetition is bounded, so that no line takes long. */
const INLINE =
  /(?<code>`[^`\n]{1,200}`)|(?<strong>\*\*[^*\n]{1,200}\*\*)|(?<emphasis>\*[^*\s][^*\n]{0,200}\*)|(?<link>!?\[[^\]\n]{0,200}\]\([^)\n]{0,400}\))|(?<list>^\s{0,12}(?:[-*+]|\d{1,9}[.)])\s)/g;
/** Characters of a line that are looked at. */
const LONGEST = 5_000;

function addLine(builder: RangeSetBuilder<Decoration>, from: number, text: string): void {
  const whole = LINES.find(([, begins]) => begins.test(text))?.[0];
  const mark = whole && marks[whole];
  if (mark && text.length > 0) {
    builder.add(from, from + text.length, mark);
    return;
  }
  for (const found of text.slice(0, LONGEST).matchAll(INLINE)) {
    const [name = ''] = Object.entries(found.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    const part = marks[name];
    if (part) builder.add(from + found.index, from + found.index + found[0].length, part);
  }
}

/** Only the lines that are seen, so the cost of a key does not grow with the text. */
function marksOf({ visibleRanges, state }: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = state.doc.lineAt(at);
      addLine(builder, line.from, line.text);
      at = line.to + 1;
    }
  }
  return builder.finish();
}

/** Colours for the lines of Markdown that are seen. A parser of all of it would take 20 KB for little more. */
export const markdownMarks = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = marksOf(view);
    }
    update({ docChanged, viewportChanged, view }: ViewUpdate): void {
      if (docChanged || viewportChanged) this.decorations = marksOf(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);
