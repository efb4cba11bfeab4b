import { Alert, Box, Button, Link, Typography } from '@mui/material';
import {
  Answer,
  asText,
  clamped,
  COLUMN,
  conversation,
  CopyButton,
  Elapsed,
  Faint,
  formatCost,
  formatCount,
  mono,
  pluralize,
  recordOf,
  Time,
  ToneChip,
  UnseenNames,
  visible,
  type ReadSession,
  type ToolEvent,
  type Turn,
} from '@tarsy/ui';
import { useMemo, useState, type ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { isDone, useAnswering } from '../../ask/useAnswering';
import { StreamedAnswers } from '../StreamedAnswers';
import { useAnswerLinks } from './answerLinks';

const toolsOf = (own: ReadSession): ToolEvent[] =>
  conversation(recordOf(own)).filter((event): event is ToolEvent => event.kind === 'tool');

/** The tool calls of an answer, each with a link to its result. */
function ToolCalls({ own }: { own: ReadSession }): ReactElement {
  const calls = useMemo(() => toolsOf(own), [own]);
  return (
    <Box
      component="ul"
      aria-label="Tool calls"
      data-testid="turn-tools"
      sx={{ m: 0, pl: 2.5, display: 'grid', gap: 0.25 }}
    >
      {calls.map((call) => (
        <Typography key={call.id} component="li" variant="caption" sx={{ overflowWrap: 'anywhere' }}>
          <Link
            component={RouterLink}
            to={`/sessions/${own.session_id}?event=${encodeURIComponent(call.id)}`}
            sx={{ fontFamily: mono }}
          >
            {call.name}
          </Link>{' '}
          <span style={{ fontFamily: mono }}>
            {asText(call.at.details.parameters ?? {})
              .replaceAll(/\s+/g, ' ')
              .slice(0, 160)}
          </span>
          {call.at.success == null ? ' · running' : call.at.success ? '' : ' · failed'}
        </Typography>
      ))}
    </Box>
  );
}

/** Progress of the answering agent, until there is an answer. */
function Running({ turn, own }: { turn: Turn; own: ReadSession | undefined }): ReactElement {
  const said =
    own === undefined
      ? undefined
      : conversation(recordOf(own)).findLast((event) => event.kind === 'answer' && event.text !== '');
  const thought = said?.kind === 'answer' ? (said.reply.thought ?? said.reply.rest) : null;
  return (
    <Box role="status" aria-live="polite" data-testid="turn-running" sx={{ display: 'grid', gap: 0.75 }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center' }}>
        <ToneChip tone="run" label={turn.status === 'pending' ? 'queued' : 'answering'} />
        <Faint>
          <Elapsed startUs={turn.asked_at_us} endUs={null} />
        </Faint>
      </Box>
      {own === undefined ? null : (
        <StreamedAnswers
          session={own}
          fallback={
            thought === null ? null : (
              <Typography
                variant="body2"
                color="text.secondary"
                sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere', ...clamped(4) }}
              >
                {visible(thought)}
              </Typography>
            )
          }
        />
      )}
      {own !== undefined && <ToolCalls own={own} />}
    </Box>
  );
}

/** A question with its answer, or with the progress of the answer. */
export function TurnCard({ turn, about, last }: { turn: Turn; about: ReadSession; last: boolean }): ReactElement {
  const [open, setOpen] = useState(false);
  const done = isDone(turn);
  // Reads the record of the last answer, to look up its names; those of earlier ones when their calls are shown.
  const own = useAnswering(turn, open || last);
  const links = useAnswerLinks(turn.answer, about, own);
  const tokens =
    turn.input_tokens == null ? null : `${formatCount(turn.input_tokens)} in, ${formatCount(turn.output_tokens)} out`;
  return (
    <Box
      component="article"
      aria-label={`Question: ${turn.question}`}
      data-testid="turn"
      data-status={turn.status}
      sx={{ ...COLUMN, gap: 0.75, borderTop: 1, borderColor: 'divider', pt: 1.5 }}
    >
      <Box sx={{ borderLeft: 3, borderColor: 'info.main', pl: 1.25 }}>
        <Typography variant="body2" sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere', fontWeight: 550 }}>
          {turn.question}
        </Typography>
        <Faint>
          {turn.author == null || turn.author === 'api-client' ? 'asked' : turn.author} <Time us={turn.asked_at_us} />
        </Faint>
      </Box>
      {!done && <Running turn={turn} own={own} />}
      {turn.error_message != null && (
        <Alert severity={turn.status === 'cancelled' ? 'info' : 'error'} sx={{ overflowWrap: 'anywhere' }}>
          {turn.error_message}
        </Alert>
      )}
      {turn.answer != null && (
        <div data-testid="turn-answer">
          <Answer text={turn.answer} seen={links} />
          <UnseenNames names={links?.unseen ?? []} />
        </div>
      )}
      <Box sx={{ display: 'flex', columnGap: 1.5, rowGap: 0.25, flexWrap: 'wrap', alignItems: 'center' }}>
        {done && turn.tool_calls > 0 ? (
          <Button
            onClick={() => {
              setOpen(!open);
            }}
            aria-expanded={open}
            sx={{ px: 0.75, ml: -0.75, py: 0 }}
          >
            {pluralize(turn.tool_calls, 'tool call')}
          </Button>
        ) : (
          <Faint>{pluralize(turn.tool_calls, 'tool call')}</Faint>
        )}
        {tokens !== null && <Faint>{tokens} tokens</Faint>}
        <Faint data-testid="turn-cost" title="Estimate. A lower bound if prices are missing.">
          {tokens !== null && turn.cost_usd == null ? 'no price' : formatCost(turn.cost_usd)}
        </Faint>
        <Link component={RouterLink} to={`/sessions/${turn.session_id}`} variant="caption" underline="hover">
          View record
        </Link>
        {turn.answer != null && <CopyButton text={turn.answer} what="answer as Markdown" />}
      </Box>
      {open && own !== undefined && <ToolCalls own={own} />}
    </Box>
  );
}
