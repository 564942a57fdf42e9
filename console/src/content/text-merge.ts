import { MergeView } from '@codemirror/merge';
import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { lineEndsOf } from './line-ends.ts';
import { foldedLinesByKey, placeTaker } from './merge-keys.ts';
import { text } from './shell.ts';
import { editingExtensions, textExtensions } from './text-editor.ts';

/** Milliseconds that a comparison may take before it is coarser. */
const DIFFERENCE = { scanLimit: 2_000, timeout: 300 };
const FOLDED = { margin: 3, minSize: 6 };

function rootOf(host: HTMLElement): ShadowRoot {
  return host.shadowRoot ?? host.attachShadow({ mode: 'open' });
}

/** The colours of what differs, which only a comparison needs. */
const differing = EditorView.theme({
  '.cm-changedLine, .cm-insertedLine': {
    backgroundColor: 'color-mix(in oklab, var(--good, #1a7f37) 14%, transparent)',
  },
  '.cm-merge-a .cm-changedLine': {
    backgroundColor: 'color-mix(in oklab, var(--bad, #cf222e) 14%, transparent)',
  },
  '.cm-changedText': { background: 'color-mix(in oklab, currentColor 16%, transparent) !important' },
  '.cm-collapsedLines': { background: 'var(--raised, transparent)', color: 'var(--muted)' },
});

const readOnly = [EditorState.readOnly.of(true), EditorView.editable.of(false)];

/** Two texts, one next to the other. The right one can be edited, and takes a place of the left one by a button. */
export function openMerge(
  host: HTMLElement,
  {
    theirs,
    mine,
    labels,
    onChange,
  }: { theirs: string; mine: string; labels: readonly [string, string]; onChange: () => void },
): { text(): string; destroy(): void } {
  const ends = lineEndsOf(mine);
  const separator = ends.separator ? [EditorState.lineSeparator.of(ends.separator)] : [];
  const told = EditorView.updateListener.of(({ docChanged }) => docChanged && onChange());
  // The library puts its number where the text has `$`.
  const words = EditorState.phrases.of({
    '$ unchanged lines': text('content.stale.folded', { count: '$' }),
  });
  const root = rootOf(host);
  const toText = () => view.b.focus();
  const view: MergeView = new MergeView({
    parent: root,
    root,
    a: {
      doc: ends.separator ? theirs : lineEndsOf(theirs).shown,
      extensions: [
        ...textExtensions(labels[0]),
        differing,
        words,
        ...readOnly,
        foldedLinesByKey(toText),
        separator,
      ],
    },
    b: {
      doc: ends.shown,
      extensions: [...editingExtensions(), ...textExtensions(labels[1]), differing, words, told, separator],
    },
    revertControls: 'a-to-b',
    renderRevertControl: () => placeTaker(toText),
    highlightChanges: true,
    collapseUnchanged: FOLDED,
    diffConfig: DIFFERENCE,
  });
  return { text: () => ends.restore(view.b.state.sliceDoc()), destroy: () => view.destroy() };
}
