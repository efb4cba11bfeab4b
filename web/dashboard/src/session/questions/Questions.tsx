import { Box, Typography } from '@mui/material';
import { askSession, CARD, COLUMN, ErrorState, useDeniedReason, type ReadSession } from '@tarsy/ui';
import { useRef, type ReactElement } from 'react';
import { QuestionForm } from '../../ask/QuestionForm';
import { useConversation } from '../../ask/useConversation';
import { useShortcuts } from '../../keys/ShortcutsProvider';
import { TurnCard } from './Turn';

/** Questions about an ended session: the conversation so far, and a form for the next question. */
export function Questions({ session }: { session: ReadSession }): ReactElement {
  const id = session.session_id;
  const field = useRef<HTMLTextAreaElement>(null);
  const { data, error, refetch, reload } = useConversation(id);
  const turns = data?.turns ?? [];
  const last = turns.at(-1);
  const mayNot = useDeniedReason('operator');
  const write = (): void => {
    field.current?.focus();
  };
  useShortcuts('Questions', [{ keys: 'q', does: 'ask a question', run: write }]);
  if (data === undefined && error !== null) return <ErrorState error={error} onRetry={refetch} />;
  return (
    <Box
      component="section"
      id="questions"
      aria-labelledby="questions-title"
      data-testid="questions"
      sx={{ ...CARD, p: 2, minWidth: 0, ...COLUMN, gap: 1.5, scrollMarginTop: 54 }}
    >
      <Typography variant="h2" id="questions-title">
        Questions
      </Typography>
      {turns.map((turn) => (
        <TurnCard key={turn.session_id} turn={turn} about={session} last={turn === last} />
      ))}
      <QuestionForm
        about={id}
        field={field}
        why={mayNot ?? (data?.accepts_questions === false ? 'The last question is not answered yet.' : null)}
        placeholder="Ask about this session"
        maxRows={8}
        note="The agent may call its tools, at a cost."
        send={async (question, key) => askSession(id, question, key).finally(reload)}
      />
    </Box>
  );
}
