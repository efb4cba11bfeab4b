import { Box, Button, Chip, Tooltip, Typography } from '@mui/material';
import {
  byStage,
  CARD,
  clamped,
  Coded,
  CopyButton,
  currentIteration,
  Faint,
  formatDuration,
  iterationText,
  plainError,
  StatusChip,
  statusTone,
  toneColor,
  useIterationLimit,
  waitOutcome,
  type AuditEntry,
  type Branch,
  type SessionDetail,
  type Stage,
  type StageDetail,
} from '@tarsy/ui';
import { Fragment, useState, type ReactElement } from 'react';
import { useAddress } from '../app/useAddress';
import { ChildList } from './ChildList';
import { isWaitStage, ReplayNote, StageFigures } from './StageFigures';
import { StageGraph } from './StageGraph';
import { useReplays } from './replays';

/** Execution id of an attempt, as in logs and traces. */
function ExecutionId({ stage, number }: { stage: StageDetail; number: number }): ReactElement {
  return (
    <CopyButton
      text={stage.execution_id}
      what={`execution ID of ${stage.stage_name}${stage.branch_name == null ? '' : `, ${stage.branch_name}`}, attempt ${String(number)}`}
    />
  );
}

function Attempt({
  stage,
  number,
  replays,
}: {
  stage: StageDetail;
  number: number;
  replays: readonly AuditEntry[] | null;
}): ReactElement {
  return (
    <Box sx={{ borderTop: 1, borderColor: 'divider', pt: 0.75, mt: 0.75, display: 'grid', gap: 0.25 }}>
      <Box sx={{ display: 'flex', columnGap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography variant="caption">attempt {number}</Typography>
        <StatusChip status={stage.status} />
        <Faint>{formatDuration(stage.duration_ms)}</Faint>
        <ExecutionId stage={stage} number={number} />
      </Box>
      <ReplayNote stage={stage} number={number} replays={replays} />
      {stage.error_message != null && (
        <Typography variant="caption" color="error" sx={{ overflowWrap: 'anywhere' }}>
          <Coded text={plainError(stage.error_message)} />
        </Typography>
      )}
    </Box>
  );
}

/** First lines of a stage's result. */
function ResultExcerpt({ text, lines }: { text: string; lines: number }): ReactElement {
  return (
    <Typography
      variant="body2"
      data-testid="stage-found"
      sx={{ ...clamped(lines), overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}
    >
      {text
        .slice(0, 600)
        .replaceAll(/^#+\s*|`/gm, '')
        .replaceAll(/\s*\n\s*/g, '\n')
        .trim()}
    </Typography>
  );
}

/** Progress of a running stage's agent. */
function IterationNote({ stage }: { stage: StageDetail }): ReactElement | null {
  const text = iterationText(currentIteration(stage), useIterationLimit(stage.agent));
  return text === '' ? null : <Faint data-testid="iteration">{text}</Faint>;
}

interface RunProps {
  session: SessionDetail;
  branch: Branch;
  number: number;
  replays: readonly AuditEntry[] | null;
  onCompare: (word: string) => void;
}

/** Result of one branch of a stage, or of a stage without branches. */
function Run({
  session,
  branch: { current: stage, earlier, name },
  number,
  replays,
  onCompare,
}: RunProps): ReactElement {
  const [open, setOpen] = useState(false);
  const [, change] = useAddress();
  const model = stage.chronological_interactions.find((call) => call.type === 'llm');
  const waits = session.waits.filter((wait) => wait.execution_id === stage.execution_id && wait.sort !== 'children');
  // The result of the last stage is left out, because it is shown above as the answer.
  const result = stage.stage_output?.result === session.final_analysis ? null : stage.stage_output?.result;
  const jump = (): void => {
    change({ tab: null, event: stage.execution_id });
  };
  return (
    <>
      {!isWaitStage(stage) && (
        <Typography variant="body2">
          {stage.agent}
          <Faint>
            {' '}
            · {stage.iteration_strategy ?? 'default strategy'}
            {model?.type === 'llm' ? ` · ${model.details.answered_by ?? model.details.model_name}` : ''}
            {stage.pool === 'default' ? '' : ` · pool ${stage.pool}`}
          </Faint>
        </Typography>
      )}
      <StageFigures stages={[stage]} />
      <ReplayNote stage={stage} number={earlier.length + 1} replays={replays} />
      {waits.map((wait) => (
        <Typography key={wait.wait_id} variant="body2" data-testid="stage-decision" sx={{ overflowWrap: 'anywhere' }}>
          <Coded text={waitOutcome(wait) ?? wait.question} />
        </Typography>
      ))}
      <ChildList dispatched={session.children.filter((child) => child.parent_execution_id === stage.execution_id)} />
      {stage.status === 'completed' && result != null && <ResultExcerpt text={result} lines={name === null ? 3 : 1} />}
      {stage.error_message != null && stage.status === 'skipped' && (
        <Typography variant="body2" color="text.secondary" data-testid="skipped" sx={{ overflowWrap: 'anywhere' }}>
          Skipped: <Coded text={plainError(stage.error_message)} />
        </Typography>
      )}
      {stage.error_message != null && stage.status !== 'skipped' && (
        <Typography variant="body2" color="error" sx={{ overflowWrap: 'anywhere' }}>
          <Coded text={plainError(stage.error_message)} />
          {stage.error_class == null ? '' : ` (${stage.error_class})`}
        </Typography>
      )}
      <Box sx={{ display: 'flex', alignItems: 'center', columnGap: 1, flexWrap: 'wrap', ml: -0.75 }}>
        {stage.llm_interaction_count + stage.mcp_communication_count > 0 && (
          <Button onClick={jump} sx={{ minWidth: 0, px: 0.75 }}>
            View
          </Button>
        )}
        {earlier.length > 0 && (
          <Button
            onClick={() => {
              setOpen(!open);
            }}
            aria-expanded={open}
            sx={{ px: 0.75 }}
          >
            {open ? 'Hide' : 'Show'} earlier attempt{earlier.length > 1 ? 's' : ''} ({earlier.length})
          </Button>
        )}
        {earlier.length > 0 && (
          <Button
            onClick={() => {
              onCompare(
                name === null
                  ? String(number)
                  : `${String(number)}:${String(earlier.at(-1)?.attempt ?? 1)}-${String(stage.attempt)}`,
              );
            }}
            aria-haspopup="dialog"
            sx={{ px: 0.75 }}
          >
            Compare
          </Button>
        )}
        <Box sx={{ ml: 'auto' }}>
          <ExecutionId stage={stage} number={earlier.length + 1} />
        </Box>
      </Box>
      {open &&
        earlier.map((attempt, at) => (
          <Attempt key={attempt.execution_id} stage={attempt} number={at + 1} replays={replays} />
        ))}
    </>
  );
}

/** Marks of a running or ended execution. */
function Marks({ branch: { current: stage, earlier } }: { branch: Branch }): ReactElement {
  const limit = stage.stage_output?.limit_reached;
  return (
    <>
      <StatusChip status={stage.status} />
      {stage.status === 'active' && <IterationNote stage={stage} />}
      {earlier.length > 0 && <Chip variant="outlined" label={`attempt ${String(earlier.length + 1)}`} />}
      {stage.crash_count > 0 && (
        <Tooltip title="Worker lost; another worker resumed the stage">
          <Chip variant="outlined" label={`resumed ×${String(stage.crash_count)}`} />
        </Tooltip>
      )}
      {limit != null && (
        <Tooltip title="A limit was reached and the agent was asked to conclude">
          <Chip variant="outlined" label={`limit: ${limit}`} />
        </Tooltip>
      )}
    </>
  );
}

/** `4 branches, 3 completed, 1 failed` */
function branchCount(branches: readonly Branch[]): string {
  const counts = new Map<string, number>();
  for (const { current } of branches) {
    const { label } = statusTone(current.status);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [
    `${String(branches.length)} branches`,
    ...[...counts].map(([label, count]) => `${String(count)} ${label}`),
  ].join(', ');
}

function Card({
  session,
  stage,
  replays,
  onCompare,
}: {
  session: SessionDetail;
  stage: Stage;
  replays: readonly AuditEntry[] | null;
  onCompare: (word: string) => void;
}): ReactElement {
  const {
    branches: [first, ...others],
  } = stage;
  const number = stage.index + 1;
  const run = (branch: Branch): ReactElement => (
    <Run session={session} branch={branch} number={number} replays={replays} onCompare={onCompare} />
  );
  const isOne = others.length === 0 && first.name === null;
  return (
    <Box
      component="article"
      aria-label={`Stage ${String(number)}: ${stage.name}`}
      data-testid="stage-card"
      sx={{
        ...CARD,
        borderTop: `3px solid ${toneColor[statusTone(stage.status).tone]}`,
        p: 1.5,
        minWidth: 0,
        display: 'grid',
        gap: 0.5,
        alignContent: 'start',
      }}
    >
      <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
        <Typography variant="h3">
          {number}. {stage.name}
        </Typography>
        {isOne ? <Marks branch={first} /> : <StatusChip status={stage.status} />}
        {others.length > 0 && (
          <Button
            onClick={() => {
              onCompare(
                `${String(number)}:${String(first.current.attempt)}-${String(others[0]?.current.attempt ?? 1)}`,
              );
            }}
            aria-haspopup="dialog"
            sx={{ px: 0.75, py: 0 }}
          >
            Compare branches
          </Button>
        )}
      </Box>
      {isOne ? (
        run(first)
      ) : (
        <>
          <Typography variant="caption" data-testid="branch-count">
            {branchCount([first, ...others])}
          </Typography>
          <StageFigures stages={[first, ...others].map(({ current }) => current)} />
          {[first, ...others].map((branch) => (
            <Box
              key={branch.current.branch}
              component="section"
              aria-label={`Branch ${branch.name ?? ''}`}
              data-testid="branch"
              sx={{ borderTop: 1, borderColor: 'divider', pt: 0.75, mt: 0.25, display: 'grid', gap: 0.5, minWidth: 0 }}
            >
              <Box sx={{ display: 'flex', gap: 1, alignItems: 'center', flexWrap: 'wrap' }}>
                <Typography variant="body2" fontWeight={600} sx={{ overflowWrap: 'anywhere' }}>
                  {branch.name}
                </Typography>
                <Marks branch={branch} />
              </Box>
              {run(branch)}
            </Box>
          ))}
        </>
      )}
    </Box>
  );
}

/** One card per stage of the chain, started or not. `onCompare` gets the stage in the form of the URL. */
export function StageCards({
  session,
  onCompare,
}: {
  session: SessionDetail;
  onCompare: (word: string) => void;
}): ReactElement {
  const stages = byStage(session.stages);
  const planned = session.chain_definition.stages ?? [];
  const total = Math.max(planned.length, stages.length);
  const replays = useReplays(session);
  return (
    <>
      <StageGraph session={session} />
      <Box
        component="section"
        aria-label="Stages"
        sx={{
          display: 'grid',
          gap: 1.5,
          gridTemplateColumns: { xs: '1fr', md: `repeat(${String(Math.max(1, Math.min(total, 4)))}, minmax(0, 1fr))` },
        }}
      >
        {Array.from({ length: total }, (_, index) => {
          const found = stages.find((stage) => stage.index === index);
          return (
            <Fragment key={index}>
              {found !== undefined ? (
                <Card session={session} stage={found} replays={replays} onCompare={onCompare} />
              ) : (
                <Box
                  component="article"
                  aria-label={`Stage ${String(index + 1)}: not started`}
                  sx={{
                    border: 1,
                    borderStyle: 'dashed',
                    borderColor: 'divider',
                    borderRadius: 1,
                    p: 1.5,
                    color: 'text.secondary',
                  }}
                >
                  <Typography variant="h3">
                    {index + 1}. {planned[index]?.name}
                  </Typography>
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
