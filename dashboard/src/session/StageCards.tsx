import { Box, Button, Chip, Tooltip, Typography } from '@mui/material';
import { byStage, codeParts, CopyButton, currentIteration, formatCost, formatCount, formatDuration, Elapsed, iterationText, mono, StatusChip, statusTone, toneColor, useIterationLimit, waitOutcome, type AuditEntry, type ChildSession, type SessionDetail, type StageDetail, type Wait } from '@tarsy/ui';
import { Fragment, useState, type ReactElement } from 'react';
import { useAddress } from '../app/useAddress';
import { ChildList } from './ChildList';
import { StageGraph } from './StageGraph';
import { stageCompleteness, stageSum } from './totals';
import { replayOf, replaySummary, useReplays } from './replays';

/** Whether a stage only waits: it has no agent, no calls and no cost. */
const isWaitStage = (stage: StageDetail): boolean => stage.agent.startsWith('wait:');

function Figures({ stage }: { stage: StageDetail }): ReactElement {
  if (isWaitStage(stage)) return <Typography variant="caption" color="text.secondary">{stage.started_at_us == null ? 'not started' : <>{stage.completed_at_us == null ? 'waiting ' : 'waited '}<Elapsed startUs={stage.started_at_us} endUs={stage.completed_at_us} /></>}</Typography>;
  return (
    <Typography variant="caption" color="text.secondary" sx={{ fontVariantNumeric: 'tabular-nums' }}>
      {stage.started_at_us == null ? 'not started' : <Elapsed startUs={stage.started_at_us} endUs={stage.completed_at_us ?? (stage.status === 'active' || stage.status === 'waiting' ? null : stage.started_at_us)} />}
      {' · '}{formatCount(stage.llm_interaction_count)} model, {formatCount(stage.mcp_communication_count)} tool calls
      {' · '}{formatCount(stageSum(stage, 'input_tokens') + stageSum(stage, 'output_tokens'))} tokens{' · '}{formatCost(stageSum(stage, 'cost_usd'), stageCompleteness(stage))}
    </Typography>
  );
}

/** Why a stage runs again; an empty line until that is here, so that what stands below doesn't move while somebody clicks it. */
function ReplayNote({ stage, replays }: { stage: StageDetail; replays: readonly AuditEntry[] | null }): ReactElement | null {
  if (replays === null) return stage.attempt > 1 ? <Typography variant="caption" aria-hidden>&nbsp;</Typography> : null;
  const replay = replayOf(stage, replays);
  return replay === undefined ? null : <Typography variant="caption" color="text.secondary" data-testid="again" sx={{ overflowWrap: 'anywhere' }}>{replaySummary(replay)}</Typography>;
}

/** Execution id of an attempt, as in logs and traces. */
function ExecutionId({ stage }: { stage: StageDetail }): ReactElement {
  return (
    <Typography variant="caption" color="text.secondary" title={stage.execution_id} sx={{ whiteSpace: 'nowrap' }}>
      execution <span style={{ fontFamily: mono }}>{stage.execution_id.slice(-6)}</span>
      <CopyButton text={stage.execution_id} what={`execution ID of ${stage.stage_name}, attempt ${String(stage.attempt)}`} />
    </Typography>
  );
}

function Attempt({ stage, replays }: { stage: StageDetail; replays: readonly AuditEntry[] | null }): ReactElement {
  return (
    <Box sx={{ borderTop: 1, borderColor: 'divider', pt: 0.75, mt: 0.75, display: 'grid', gap: 0.25 }}>
      <Box sx={{ display: 'flex', columnGap: 1, alignItems: 'center', flexWrap: 'wrap' }}><Typography variant="caption">attempt {stage.attempt}</Typography><StatusChip status={stage.status} /><Typography variant="caption" color="text.secondary">{formatDuration(stage.duration_ms)}</Typography><ExecutionId stage={stage} /></Box>
      <ReplayNote stage={stage} replays={replays} />
      {stage.error_message != null && <Typography variant="caption" color="error" sx={{ overflowWrap: 'anywhere' }}>{stage.error_message}</Typography>}
    </Box>
  );
}

/** First lines of a stage's result. */
function ResultExcerpt({ text }: { text: string }): ReactElement {
  return (
    <Typography variant="body2" data-testid="stage-found" sx={{ display: '-webkit-box', WebkitLineClamp: 3, WebkitBoxOrient: 'vertical', overflow: 'hidden', overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>
      {text.slice(0, 600).replaceAll(/^#+\s*/gm, '').replaceAll(/\s*\n\s*/g, '\n').trim()}
    </Typography>
  );
}

/** How far the agent of a running stage is. */
function IterationNote({ stage }: { stage: StageDetail }): ReactElement | null {
  const text = iterationText(currentIteration(stage), useIterationLimit(stage.agent));
  return text === '' ? null : <Typography variant="caption" color="text.secondary" data-testid="iteration">{text}</Typography>;
}

interface CardProps { stage: StageDetail; waits: readonly Wait[]; dispatched: readonly ChildSession[]; earlier: StageDetail[]; number: number; answer: string | null; replays: readonly AuditEntry[] | null; onCompare: (word: string) => void }

function Card({ stage, waits, dispatched, earlier, number, answer, replays, onCompare }: CardProps): ReactElement {
  const [open, setOpen] = useState(false);
  const [, change] = useAddress();
  const { tone } = statusTone(stage.status);
  const model = stage.chronological_interactions.find((call) => call.type === 'llm');
  const limit = stage.stage_output?.limit_reached;
  // The last stage's stands above as the answer.
  const result = stage.stage_output?.result === answer ? null : stage.stage_output?.result;
  const jump = (): void => { change({ tab: null, event: stage.execution_id }); };
  return (
    <Box component="article" aria-label={`Stage ${String(number)}: ${stage.stage_name}`} data-testid="stage-card" sx={{ border: 1, borderColor: 'divider', borderTop: `3px solid ${toneColor[tone]}`, borderRadius: 1, bgcolor: 'background.paper', p: 1.5, minWidth: 0, display: 'grid', gap: 0.5, alignContent: 'start' }}>
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography variant="h3">{number}. {stage.stage_name}</Typography>
        <StatusChip status={stage.status} />
        {stage.status === 'active' && <IterationNote stage={stage} />}
        {stage.attempt > 1 && <Chip variant="outlined" label={`attempt ${String(stage.attempt)}`} />}
        {stage.crash_count > 0 && <Tooltip title="Worker lost; another worker resumed the stage"><Chip variant="outlined" label={`resumed ×${String(stage.crash_count)}`} /></Tooltip>}
        {limit != null && <Tooltip title="A limit was reached and the agent was asked to conclude"><Chip variant="outlined" label={`limit: ${limit}`} /></Tooltip>}
      </Box>
      {!isWaitStage(stage) && <Typography variant="body2">{stage.agent}<Typography component="span" variant="caption" color="text.secondary"> · {stage.iteration_strategy ?? 'default strategy'}{model?.type === 'llm' ? ` · ${model.details.answered_by ?? model.details.model_name}` : ''} · pool {stage.pool}</Typography></Typography>}
      <Figures stage={stage} />
      <ReplayNote stage={stage} replays={replays} />
      {waits.map((wait) => <Typography key={wait.wait_id} variant="body2" data-testid="stage-decision" sx={{ overflowWrap: 'anywhere' }}>{waitOutcome(wait) ?? codeParts(wait.question).map((part) => part.text).join('')}</Typography>)}
      <ChildList dispatched={dispatched} />
      {stage.status === 'completed' && result != null && <ResultExcerpt text={result} />}
      {stage.error_message != null && <Typography variant="body2" color="error" sx={{ overflowWrap: 'anywhere' }}>{stage.error_message}{stage.error_class == null ? '' : ` (${stage.error_class})`}</Typography>}
      <Box sx={{ display: 'flex', alignItems: 'center', columnGap: 1, flexWrap: 'wrap', ml: -0.75 }}>
        {stage.llm_interaction_count + stage.mcp_communication_count > 0 && <Button onClick={jump} sx={{ minWidth: 0, px: 0.75 }}>View</Button>}
        {earlier.length > 0 && <Button onClick={() => { setOpen(!open); }} aria-expanded={open} sx={{ px: 0.75 }}>{open ? 'Hide' : 'Show'} earlier attempt{earlier.length > 1 ? 's' : ''} ({earlier.length})</Button>}
        {earlier.length > 0 && <Button onClick={() => { onCompare(String(number)); }} aria-haspopup="dialog" sx={{ px: 0.75 }}>Compare</Button>}
        <Box sx={{ ml: 'auto' }}><ExecutionId stage={stage} /></Box>
      </Box>
      {open && earlier.map((attempt) => <Attempt key={attempt.execution_id} stage={attempt} replays={replays} />)}
    </Box>
  );
}

/** One card per stage of the chain, started or not. `onCompare` gets the stage as the URL names it. */
export function StageCards({ session, onCompare }: { session: SessionDetail; onCompare: (word: string) => void }): ReactElement {
  const stages = byStage(session.stages);
  const planned = session.chain_definition.stages ?? [];
  const total = Math.max(planned.length, stages.length);
  const replays = useReplays(session);
  return (
    <>
    <StageGraph session={session} />
    <Box component="section" aria-label="Stages" sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: { xs: '1fr', md: `repeat(${String(Math.max(1, Math.min(total, 4)))}, minmax(0, 1fr))` } }}>
      {Array.from({ length: total }, (_, index) => {
        const found = stages.find((stage) => stage.index === index);
        return (
          <Fragment key={index}>
            {found !== undefined ? <Card stage={found.current} waits={session.waits.filter((wait) => wait.execution_id === found.current.execution_id && wait.sort !== 'children')} dispatched={session.children.filter((child) => child.parent_execution_id === found.current.execution_id)} earlier={found.earlier} number={index + 1} answer={session.final_analysis ?? null} replays={replays} onCompare={onCompare} /> : (
              <Box component="article" aria-label={`Stage ${String(index + 1)}: not started`} sx={{ border: 1, borderStyle: 'dashed', borderColor: 'divider', borderRadius: 1, p: 1.5, color: 'text.secondary' }}>
                <Typography variant="h3">{index + 1}. {planned[index]?.name}</Typography>
                <Typography variant="caption">{planned[index]?.agent} · not started</Typography>
              </Box>
            )}
          </Fragment>
        );
      })}
    </Box>
    </>
  );
}
