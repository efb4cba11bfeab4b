import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { linter, lintGutter, setDiagnostics, type Diagnostic } from '@codemirror/lint';
import { Compartment, EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { Box } from '@mui/material';
import { useEffect, useRef, type ReactElement } from 'react';
import { nonce } from '../theme/nonce';
import { mono } from '../theme/theme';
import type { Format, Mistake } from './draft';
import { EDITOR_HEIGHT } from './editorHeight';
import { CARD } from '../parts/looks';

interface Props {
  value: string;
  onChange: (text: string) => void;
  format: Format;
  mistakes: readonly Mistake[];
  label: string;
  onSubmit: () => void;
}

/** Syntax colours of the theme, readable in both schemes. */
const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--mui-palette-primary-main)' },
  { tag: tags.string, color: 'var(--mui-palette-success-main)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--mui-palette-warning-main)' },
  { tag: tags.comment, color: 'var(--mui-palette-text-secondary)', fontStyle: 'italic' },
]);

function diagnostics(view: EditorView, mistakes: readonly Mistake[]): Diagnostic[] {
  return mistakes.map(({ line, column, message }) => {
    const row = view.state.doc.line(Math.min(line, view.state.doc.lines));
    const from = Math.min(row.to, row.from + column - 1);
    return { from, to: Math.max(from, row.to), severity: 'error' as const, message };
  });
}

/** Code editor. Tab leaves it; Ctrl+Enter submits. */
export default function Editor({ value, onChange, format, mistakes, label, onSubmit }: Props): ReactElement {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const language = useRef(new Compartment());
  const calls = useRef({ value, onChange, onSubmit });
  const first = useRef(value);
  useEffect(() => {
    calls.current = { value, onChange, onSubmit };
  });

  useEffect(() => {
    if (host.current === null) return undefined;
    const editor = new EditorView({
      parent: host.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          lineNumbers(),
          history(),
          drawSelection(),
          bracketMatching(),
          lintGutter(),
          linter(null),
          syntaxHighlighting(colours),
          keymap.of([
            {
              key: 'Mod-Enter',
              run: () => {
                calls.current.onSubmit();
                return true;
              },
            },
            ...defaultKeymap,
            ...historyKeymap,
          ]),
          language.current.of(json()),
          EditorView.lineWrapping,
          EditorView.cspNonce.of(nonce() ?? ''),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            // Text set by the app is not a change by the user.
            const text = update.state.doc.toString();
            if (update.docChanged && text !== calls.current.value) calls.current.onChange(text);
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, [label]);

  useEffect(() => {
    view.current?.dispatch({ effects: language.current.reconfigure(format === 'json' ? json() : yaml()) });
  }, [format]);
  useEffect(() => {
    const editor = view.current;
    if (editor === null) return;
    if (editor.state.doc.toString() !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
    editor.dispatch(setDiagnostics(editor.state, diagnostics(editor, mistakes)));
  }, [value, mistakes]);

  return (
    <Box
      ref={host}
      data-testid="editor"
      sx={{
        ...CARD,
        overflow: 'hidden',
        '& .cm-editor': { height: EDITOR_HEIGHT, fontSize: '0.8rem' },
        '& .cm-scroller': { fontFamily: mono },
        '&:focus-within': { outline: '2px solid', outlineColor: 'primary.main', outlineOffset: -1 },
        '& .cm-editor.cm-focused': { outline: 'none' },
        '& .cm-gutters': { bgcolor: 'background.default', color: 'text.secondary', borderColor: 'divider' },
        '& .cm-cursor': { borderLeftColor: 'text.primary' },
        '& .cm-content': { caretColor: 'var(--mui-palette-text-primary)' },
        '& .cm-line .cm-matchingBracket, & .cm-line .cm-nonmatchingBracket': {
          bgcolor: 'action.selected',
          color: 'text.primary',
        },
        '& .cm-tooltip': { bgcolor: 'background.paper', color: 'text.primary', borderColor: 'divider' },
      }}
    />
  );
}
