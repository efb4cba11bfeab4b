import { Box, Typography } from '@mui/material';
import { parseReply, runningAnswers, sessionChannel, shownPart, useGrowingAnswers, type GrowingAnswer, type SessionDetail } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** The text of a growing answer: its conclusion, else its thought, else the model's reasoning. */
function growing({ text, thinking, isDraft }: GrowingAnswer): { label: string; text: string } {
  const said = shownPart(text);
  if (said.trim() === '') return { label: 'thinking', text: shownPart(thinking) };
  if (isDraft) return { label: 'draft, not checked yet', text: said };
  const reply = parseReply(said);
  return reply.finalAnswer === null ? { label: 'writing', text: reply.thought ?? reply.rest ?? said } : { label: 'concluding', text: reply.finalAnswer };
}

/** What the models of a session are saying, word by word, until it is recorded. */
export function StreamedAnswers({ session, fallback }: { session: SessionDetail; fallback: ReactElement | null }): ReactElement | null {
  const answers = useGrowingAnswers(session.completed_at_us == null ? sessionChannel(session.session_id) : null);
  const running = runningAnswers(session, answers);
  if (running.length === 0) return fallback;
  return (
    <>
      {running.map(({ stage, answer }) => {
        const { label, text } = growing(answer);
        return (
          // A reader hears what is recorded, not each word.
          <Box key={answer.executionId} aria-live="off" data-testid="streamed" data-part={label} sx={{ borderLeft: 2, borderColor: 'info.main', pl: 1.25, minWidth: 0 }}>
            <Typography variant="caption" color="text.secondary">{running.length > 1 ? `${stage.stage_name}${stage.branch_name == null ? '' : ` / ${stage.branch_name}`}: ` : ''}{label}…</Typography>
            {/* The newest line stays in sight. */}
            <Box sx={{ display: 'flex', flexDirection: 'column-reverse', maxHeight: 280, overflowY: 'auto' }} tabIndex={0} role="group" aria-label={`Answer of ${stage.stage_name} so far`}>
              <Typography variant="body2" color={label === 'concluding' ? 'text.primary' : 'text.secondary'} sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Typography>
            </Box>
          </Box>
        );
      })}
    </>
  );
}
