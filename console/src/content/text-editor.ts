import {
  cursorDocEnd,
  cursorDocStart,
  cursorGroupLeft,
  cursorGroupRight,
  cursorLineBoundaryBackward,
  cursorLineBoundaryForward,
  deleteCharBackward,
  deleteCharForward,
  deleteGroupBackward,
  deleteGroupForward,
  history,
  historyKeymap,
  insertNewlineKeepIndent,
  selectAll,
  selectDocEnd,
  selectDocStart,
  selectGroupLeft,
  selectGroupRight,
  selectLineBoundaryBackward,
  selectLineBoundaryForward,
} from '@codemirror/commands';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightSpecialChars, type KeyBinding, keymap, placeholder } from '@codemirror/view';
import { lineEndsOf } from './line-ends.ts';
import { markdownMarks } from './markdown-marks.ts';
import { theme } from './text-theme.ts';

/** The keys that need the document. The browser does the others, and Tab moves on, as in any field of a form. */
const KEYS: readonly KeyBinding[] = [
  { key: 'Enter', run: insertNewlineKeepIndent, shift: insertNewlineKeepIndent },
  { key: 'Backspace', run: deleteCharBackward, shift: deleteCharBackward },
  { key: 'Delete', run: deleteCharForward },
  { key: 'Mod-Backspace', mac: 'Alt-Backspace', run: deleteGroupBackward },
  { key: 'Mod-Delete', mac: 'Alt-Delete', run: deleteGroupForward },
  { key: 'Mod-ArrowLeft', mac: 'Alt-ArrowLeft', run: cursorGroupLeft, shift: selectGroupLeft },
  { key: 'Mod-ArrowRight', mac: 'Alt-ArrowRight', run: cursorGroupRight, shift: selectGroupRight },
  { key: 'Home', mac: 'Cmd-ArrowLeft', run: cursorLineBoundaryBackward, shift: selectLineBoundaryBackward },
  { key: 'End', mac: 'Cmd-ArrowRight', run: cursorLineBoundaryForward, shift: selectLineBoundaryForward },
  { key: 'Mod-Home', mac: 'Cmd-ArrowUp', run: cursorDocStart, shift: selectDocStart },
  { key: 'Mod-End', mac: 'Cmd-ArrowDown', run: cursorDocEnd, shift: selectDocEnd },
  { key: 'Mod-a', run: selectAll },
];

export interface TextEditor {
  /** The text with its own line ends, byte for byte where nothing was typed. */
  text(): string;
  replace(text: string): void;
  focus(): void;
  destroy(): void;
}

/** What each editor of a text has: no history of its own, no keys. */
export function textExtensions(label: string): Extension[] {
  return [
    EditorView.lineWrapping,
    highlightSpecialChars(),
    markdownMarks,
    theme,
    EditorView.contentAttributes.of({
      'aria-label': label,
      'aria-multiline': 'true',
      spellcheck: 'true',
      dir: 'auto',
    }),
  ];
}

export function editingExtensions(): Extension[] {
  return [history(), keymap.of([...historyKeymap, ...KEYS])];
}

/**
 * An editor in the shadow tree of an element. In a shadow tree its styles are adopted sheets, which the page's policy
 * allows; outside of one they would be style elements, which it refuses.
 */
export function openTextEditor(
  host: HTMLElement,
  {
    text,
    label,
    hint,
    onChange,
  }: { readonly text: string; readonly label: string; readonly hint: string; readonly onChange: () => void },
): TextEditor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  let ends = lineEndsOf(text);
  let [original, opened] = [text, EditorState.create({ doc: '' }).doc];
  const stateOf = () => {
    const { shown, separator } = ends;
    const told = EditorView.updateListener.of(({ docChanged }) => docChanged && onChange());
    const state = EditorState.create({
      doc: shown,
      extensions: [
        ...editingExtensions(),
        ...textExtensions(label),
        told,
        placeholder(hint),
        ...(separator ? [EditorState.lineSeparator.of(separator)] : []),
      ],
    });
    opened = state.doc;
    return state;
  };
  const view = new EditorView({ parent: root, root, state: stateOf() });
  return {
    text: () => (view.state.doc.eq(opened) ? original : ends.restore(view.state.sliceDoc())),
    replace: (next) => {
      [original, ends] = [next, lineEndsOf(next)];
      view.setState(stateOf());
      onChange();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}
