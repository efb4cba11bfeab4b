import { Accordion, AccordionDetails, AccordionSummary, Box, Typography } from '@mui/material';
import {
  byStage,
  Code,
  conversation,
  executionName,
  Faint,
  formatDuration,
  EmptyState,
  StatusChip,
  type SessionDetail,
  type StageEvent,
} from '@tarsy/ui';
import type { ReactElement } from 'react';

function Entry({ event }: { event: StageEvent }): ReactElement | null {
  if (event.kind === 'prompt') return null;
  const { at } = event;
  return (
    <Box sx={{ py: 0.75, borderTop: 1, borderColor: 'divider', display: 'grid', gap: 0.5 }}>
      <Typography variant="body2">
        <b>{at.step_description}</b> <Faint>{formatDuration(at.duration_ms)}</Faint>
      </Typography>
      {at.error_message != null && (
        <Typography variant="body2" color="error">
          {at.error_message}
        </Typography>
      )}
      {event.kind === 'answer' && event.text !== '' && (
        <Typography variant="body2" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {event.text}
        </Typography>
      )}
      {event.kind === 'tool' && event.output !== '' && <Code text={event.output} what="tool result" lines={6} />}
    </Box>
  );
}

/** Stages of a session with their events. */
export function StageLog({ session }: { session: SessionDetail }): ReactElement {
  const stages = byStage(session.stages);
  if (stages.length === 0) return <EmptyState title="No stages yet">The first stage starts shortly.</EmptyState>;
  return (
    <Box component="section" aria-label="Investigation">
      {stages
        .flatMap(({ branches }) => branches)
        .map(({ current }) => (
          <Accordion
            key={current.execution_id}
            disableGutters
            variant="outlined"
            defaultExpanded={current.status === 'active'}
          >
            <AccordionSummary
              sx={{ '& .MuiAccordionSummary-content': { gap: 1.5, alignItems: 'center', flexWrap: 'wrap' } }}
            >
              <Typography variant="h3" component="span">
                {current.stage_index + 1}. {executionName(current, session.stages)}
              </Typography>
              <StatusChip status={current.status} />
              <Faint>
                {current.agent}, {formatDuration(current.duration_ms)}, {current.llm_interaction_count} model and{' '}
                {current.mcp_communication_count} tool calls
              </Faint>
            </AccordionSummary>
            <AccordionDetails>
              {current.error_message != null && (
                <Typography variant="body2" color="error">
                  {current.error_message}
                </Typography>
              )}
              {conversation(current.chronological_interactions).map((event) => (
                <Entry key={event.id} event={event} />
              ))}
            </AccordionDetails>
          </Accordion>
        ))}
    </Box>
  );
}
