import { Alert, Box, TextField } from '@mui/material';
import { COLUMN, ExplainedButton, Faint, LONGEST_QUESTION, onText, useAction } from '@tarsy/ui';
import { useRef, type ReactElement, type ReactNode, type RefObject } from 'react';
import { useIsWide } from '../app/useIsWide';
import { leaveIfEmpty, useQuestionDraft } from '../app/useQuestionDraft';

interface Props<T> {
  /** Key under which the draft is stored. */
  about: string;
  /** Why no question can be asked now; null: one can. */
  why: string | null;
  /** Mistake in the fields besides the text; null: none. */
  mistake?: string | null;
  /** Scope of the question besides the text. The same text with another scope is another question. */
  scope?: string;
  placeholder: string;
  minRows?: number;
  maxRows: number;
  note: string;
  field: RefObject<HTMLTextAreaElement | null>;
  /** Sends the question. Repeated calls with the same key ask it only once. */
  send: (question: string, key: string) => Promise<T>;
  onAsked?: (accepted: T) => Promise<void>;
  /** Fields besides the text. */
  children?: ReactNode;
}

/** Form for a question. The text stays until the question is accepted. */
export function QuestionForm<T>({
  about,
  why,
  mistake = null,
  scope = '',
  placeholder,
  minRows = 1,
  maxRows,
  note,
  field,
  send,
  onAsked,
  children,
}: Props<T>): ReactElement {
  const [text, setText] = useQuestionDraft(about);
  const isWide = useIsWide();
  const { busy, error, run } = useAction();
  // Reused when the same question is sent again, so that it is asked once.
  const key = useRef<{ of: string; key: string } | null>(null);
  const blocked = why ?? (busy ? 'Sending…' : text.trim() === '' ? 'Write a question first.' : mistake);
  const ask = (): void => {
    if (blocked !== null) return;
    const of = `${scope} ${text.trim()}`;
    if (key.current?.of !== of) key.current = { of, key: crypto.randomUUID() };
    const asked = key.current.key;
    void run(async () => {
      const accepted = await send(text.trim(), asked);
      key.current = null;
      setText('');
      await onAsked?.(accepted);
    });
  };
  return (
    <Box
      component="form"
      aria-label="Ask a question"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
      sx={{ ...COLUMN, gap: 1.25 }}
    >
      <TextField
        multiline
        minRows={minRows}
        maxRows={maxRows}
        value={text}
        inputRef={field}
        disabled={why !== null && text === ''}
        placeholder={`${placeholder}${isWide ? '  ( q )' : ''}`}
        onChange={onText(setText)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            ask();
          }
          leaveIfEmpty(event, text);
        }}
        slotProps={{ htmlInput: { 'aria-label': 'Question', maxLength: LONGEST_QUESTION, 'data-testid': 'question' } }}
      />
      {children}
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap' }}>
        <ExplainedButton type="submit" variant="contained" why={blocked} data-testid="ask">
          Ask
        </ExplainedButton>
        <Faint>{why ?? `${isWide ? 'Enter sends, Shift+Enter starts a line. ' : ''}${note}`}</Faint>
      </Box>
      {error !== null && <Alert severity="error">{error}</Alert>}
    </Box>
  );
}
