import { EditorView } from '@codemirror/view';

/** The colours are custom properties of the page, which reach into the shadow tree of the editor. */
export const theme = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '0.9375rem', height: '100%' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace',
    lineHeight: '1.6',
  },
  '.cm-content': { padding: '1rem 0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0 1.25rem' },
  '.cm-placeholder': { color: 'var(--muted)' },
  '.md-heading': { fontWeight: '700', color: 'var(--accent)' },
  '.md-strong': { fontWeight: '700' },
  '.md-emphasis': { fontStyle: 'italic' },
  '.md-quote, .md-code': { color: 'var(--muted)' },
  '.md-link, .md-list': { color: 'var(--accent)' },
});
