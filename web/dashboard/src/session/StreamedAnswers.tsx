import { Box, Typography } from '@mui/material';
import {
  Elapsed,
  Faint,
  formatCount,
  parseReply,
  runningAnswers,
  sessionChannel,
  shownPart,
  useGrowingAnswers,
  visible,
  type GrowingAnswer,
  type LlmInteraction,
  type SessionDetail,
} from '@tarsy/ui';
import type { ReactElement } from 'react';
import { useParams } from 'react-router-dom';

/** Selects the text of a growing answer: its conclusion, else its thought, else the model's reasoning. */
function growing({ text, thinking, isDraft }: GrowingAnswer): { label: string; text: string } {
  const said = shownPart(text);
  if (said.trim() === '') return { label: 'thinking', text: shownPart(thinking) };
  if (isDraft) return { label: 'draft, not checked yet', text: said };
  const reply = parseReply(said);
  return reply.finalAnswer === null
    ? { label: 'writing', text: reply.thought ?? reply.rest ?? said }
    : { label: 'concluding', text: reply.finalAnswer };
}

/** Approximate number of characters per token. */
const TOKEN = 4;

/** An answer in progress; its newest line stays in view. Screen readers get recorded answers, not each word. */
function Growing({
  answer,
  before,
  of,
  note,
}: {
  answer: GrowingAnswer;
  before: string;
  of: string;
  note?: ReactElement;
}): ReactElement {
  const { label, text } = growing(answer);
  return (
    <Box
      aria-live="off"
      data-testid="streamed"
      data-part={label}
      sx={{ borderLeft: 2, borderColor: 'info.main', pl: 1.25, minWidth: 0 }}
    >
      <Faint>
        {before}
        {label}…{note}
      </Faint>
      <Box
        sx={{ display: 'flex', flexDirection: 'column-reverse', maxHeight: 280, overflowY: 'auto' }}
        tabIndex={0}
        role="group"
        aria-label={`${of} so far`}
      >
        <Typography
          variant="body2"
          color={label === 'concluding' ? 'text.primary' : 'text.secondary'}
          sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
        >
          {visible(text)}
        </Typography>
      </Box>
    </Box>
  );
}

/** Model answers of a session in progress, word by word, until they are recorded. */
export function StreamedAnswers({
  session,
  fallback,
}: {
  session: SessionDetail;
  fallback: ReactElement | null;
}): ReactElement | null {
  const answers = useGrowingAnswers(session.completed_at_us == null ? sessionChannel(session.session_id) : null);
  const running = runningAnswers(session, answers);
  if (running.length === 0) return fallback;
  return (
    <>
      {running.map(({ stage, answer }) => (
        <Growing
          key={answer.executionId}
          answer={answer}
          of={`Answer of ${stage.stage_name}`}
          before={
            running.length > 1
              ? `${stage.stage_name}${stage.branch_name == null ? '' : ` / ${stage.branch_name}`}: `
              : ''
          }
        />
      ))}
    </>
  );
}

/** Answer of a running call so far, in its row of the conversation. */
export function GrowingCall({ call }: { call: LlmInteraction }): ReactElement | null {
  const { id } = useParams();
  const answer = useGrowingAnswers(id === undefined ? null : sessionChannel(id)).get(call.stage_execution_id);
  if (answer?.interactionId !== call.id) return null;
  const { text, thinking } = answer;
  const tokens = Math.ceil((text.from + text.text.length + thinking.from + thinking.text.length) / TOKEN);
  return (
    <Growing
      answer={answer}
      before=""
      of={call.step_description}
      note={
        <>
          {' '}
          about {formatCount(tokens)} tokens up to now, <Elapsed startUs={call.timestamp_us} />
        </>
      }
    />
  );
}
