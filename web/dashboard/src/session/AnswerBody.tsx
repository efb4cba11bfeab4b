import { Box, Typography } from '@mui/material';
import {
  Code,
  Faint,
  formatCost,
  formatCount,
  formatDuration,
  Highlight,
  mono,
  visible,
  type AnswerEvent,
} from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { Badge, ErrorText, EventHeader, TextButton, ExpandableText } from './EventParts';
import { GrowingCall } from './StreamedAnswers';

/** Rarely needed details of a call. */
function more({ temperature, reasoning_tokens: reasoning }: AnswerEvent['at']['details']): string | undefined {
  const told = [
    ...(temperature == null ? [] : [`temperature ${String(temperature)}`]),
    ...(reasoning == null || reasoning === 0 ? [] : [`${formatCount(reasoning)} reasoning tokens`]),
  ];
  return told.length === 0 ? undefined : told.join(', ');
}

/** A model's reply: thinking, thought, tool call, conclusion. */
export function AnswerBody({ event, needle }: { event: AnswerEvent; needle: string }): ReactElement {
  const { at, reply } = event;
  const [raw, setRaw] = useState(false);
  const { details } = at;
  const tokens =
    details.input_tokens == null
      ? ''
      : ` · ${formatCount(details.input_tokens)} → ${formatCount(details.output_tokens)} tokens`;
  const cached = (details.cached_tokens ?? 0) > 0 ? ` (${formatCount(details.cached_tokens)} cached)` : '';
  return (
    <>
      <EventHeader
        title={at.step_description}
        hint={more(details)}
        note={`${details.answered_by ?? details.model_name} · ${formatDuration(at.duration_ms)}${tokens}${cached}${details.cost_usd == null ? '' : ` · ${formatCost(details.cost_usd)}`}`}
      >
        {at.success == null && (
          <Badge tone="run" label="pending" hint="No response recorded yet, or the worker was lost" />
        )}
        {at.success === false && <Badge tone="bad" label={details.error_class ?? 'failed'} hint="The call failed" />}
        {details.finish_reason === 'max_tokens' && (
          <Badge tone="bad" label="truncated" hint="The response reached max_tokens" />
        )}
        {details.provider === 'scripted' && (
          <Badge tone="rest" label="scripted" hint="Answered by a script, not a model" />
        )}
        <TextButton
          type="button"
          onClick={() => {
            setRaw(!raw);
          }}
          aria-expanded={raw}
        >
          Raw
        </TextButton>
      </EventHeader>
      {raw && (
        <Box data-testid="raw-call" sx={{ mb: 0.5 }}>
          <Code text={JSON.stringify(at, null, 2)} what="model call as recorded" needle={needle} lines={40} />
        </Box>
      )}
      {at.success == null && <GrowingCall call={at} />}
      <ErrorText text={at.error_message} needle={needle} />
      {details.thinking != null && details.thinking !== '' && (
        <Box sx={{ borderLeft: 2, borderColor: 'divider', pl: 1, mb: 0.5, color: 'text.secondary' }}>
          <ExpandableText text={visible(details.thinking)} needle={needle} lines={3} />
        </Box>
      )}
      {reply.rest !== null && <ExpandableText text={visible(reply.rest)} needle={needle} lines={8} />}
      {reply.thought !== null && <ExpandableText text={visible(reply.thought)} needle={needle} lines={8} />}
      {reply.action !== null && (
        <Typography variant="body2" color="text.secondary" sx={{ mt: 0.25 }}>
          calls{' '}
          <code style={{ fontFamily: mono }}>
            <Highlight text={visible(reply.action)} needle={needle} />
          </code>
        </Typography>
      )}
      {event.toolCalls !== null && <Code text={event.toolCalls} what="tool calls" needle={needle} lines={4} />}
      {reply.finalAnswer !== null && (
        <Box sx={{ borderLeft: 3, borderColor: 'success.main', pl: 1.25, mt: 0.5 }}>
          <Faint>Stage conclusion</Faint>
          <ExpandableText text={reply.finalAnswer} needle={needle} lines={12} />
        </Box>
      )}
    </>
  );
}
