import { Alert, Box, TextField, Typography } from '@mui/material';
import {
  asApiError,
  askSession,
  ErrorState,
  ExplainedButton,
  LONGEST_QUESTION,
  messages,
  refetcher,
  sessionChannel,
  useDeniedReason,
  useLive,
  usePollMs,
  type ReadSession,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState, type ReactElement, type RefObject } from 'react';
import { useIsWide } from '../../app/useIsWide';
import { leaveIfEmpty, useQuestionDraft } from '../../app/useQuestionDraft';
import { useShortcuts } from '../../keys/ShortcutsProvider';
import { TurnCard } from './Turn';

/** Asks; the text stays until it is accepted. */
function AskForm({
  id,
  why,
  field,
  onAsked,
}: {
  id: string;
  why: string | null;
  field: RefObject<HTMLTextAreaElement | null>;
  onAsked: () => Promise<void>;
}): ReactElement {
  const [text, setText] = useQuestionDraft(id);
  const isWide = useIsWide();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The same for a repeated try of the same question, so that it is asked once.
  const key = useRef<{ text: string; key: string } | null>(null);
  const blocked = why ?? (busy ? 'Sending…' : text.trim() === '' ? 'Write a question first.' : null);
  const ask = async (): Promise<void> => {
    if (blocked !== null) return;
    setBusy(true);
    const question = text.trim();
    if (key.current?.text !== question) key.current = { text: question, key: crypto.randomUUID() };
    try {
      await askSession(id, question, key.current.key);
      key.current = null;
      setText('');
      setError(null);
    } catch (thrown) {
      setError(asApiError(thrown).message);
    } finally {
      await onAsked();
      setBusy(false);
    }
  };
  return (
    <Box
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
      sx={{ display: 'grid', gap: 1 }}
    >
      <TextField
        multiline
        minRows={1}
        maxRows={8}
        value={text}
        inputRef={field}
        placeholder={`Ask about this session${isWide ? '  ( q )' : ''}`}
        disabled={why !== null && text === ''}
        onChange={(event) => {
          setText(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
            event.preventDefault();
            void ask();
          }
          leaveIfEmpty(event, text);
        }}
        slotProps={{ htmlInput: { 'aria-label': 'Question', maxLength: LONGEST_QUESTION, 'data-testid': 'question' } }}
      />
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap' }}>
        <ExplainedButton type="submit" variant="contained" why={blocked} data-testid="ask">
          Ask
        </ExplainedButton>
        <Typography variant="caption" color="text.secondary">
          {why ?? `${isWide ? 'Enter sends, Shift+Enter starts a line. ' : ''}The agent may call its tools, at a cost.`}
        </Typography>
      </Box>
      {error !== null && <Alert severity="error">{error}</Alert>}
    </Box>
  );
}

/** Questions about an ended session: the conversation so far, and a box for the next. */
export function Questions({ session }: { session: ReadSession }): ReactElement {
  const id = session.session_id;
  const queries = useQueryClient();
  const every = usePollMs(1500);
  const queryKey = useMemo(() => ['messages', id] as const, [id]);
  const refetch = useMemo(() => refetcher(queries, queryKey), [queries, queryKey]);
  const field = useRef<HTMLTextAreaElement>(null);
  const {
    data,
    error,
    refetch: retry,
  } = useQuery({
    queryKey,
    queryFn: async ({ signal }) => messages(id, signal),
    // Others ask as well.
    refetchInterval: ({ state }) => (state.data?.accepts_questions === false ? every : 60_000),
  });
  const turns = data?.turns ?? [];
  const last = turns.at(-1);
  useLive(
    data?.accepts_questions === false && last !== undefined ? sessionChannel(last.session_id) : null,
    () => {
      void refetch();
    },
    500,
  );
  const mayNot = useDeniedReason('operator');
  useShortcuts('Questions', [
    {
      keys: 'q',
      does: 'ask a question',
      run: () => {
        field.current?.focus();
      },
    },
  ]);
  if (data === undefined && error !== null)
    return (
      <ErrorState
        error={error}
        onRetry={() => {
          void retry();
        }}
      />
    );
  return (
    <Box
      component="section"
      id="questions"
      aria-labelledby="questions-title"
      data-testid="questions"
      sx={{
        border: 1,
        borderColor: 'divider',
        borderRadius: 1,
        bgcolor: 'background.paper',
        p: 2,
        minWidth: 0,
        display: 'grid',
        gridTemplateColumns: 'minmax(0, 1fr)',
        gap: 1.5,
        scrollMarginTop: 54,
      }}
    >
      <Typography variant="h2" id="questions-title">
        Questions
      </Typography>
      {turns.map((turn) => (
        <TurnCard key={turn.session_id} turn={turn} about={session} last={turn === last} />
      ))}
      <AskForm
        id={id}
        field={field}
        why={mayNot ?? (data?.accepts_questions === false ? 'The last question is not answered yet.' : null)}
        onAsked={refetch}
      />
    </Box>
  );
}
