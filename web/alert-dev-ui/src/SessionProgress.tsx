import { Alert, Box, LinearProgress, Link, Typography } from '@mui/material';
import {
  byStage,
  CARD,
  chainNodes,
  chainShare,
  claimsOfAnalysis,
  ClaimsChip,
  COLUMN,
  ConfidenceChip,
  CopyButton,
  currentIteration,
  Faint,
  iterationText,
  useIterationLimit,
  expectMarkdown,
  ErrorState,
  Elapsed,
  Loading,
  pluralize,
  PREFIX,
  Report,
  sessionChannel,
  sessionQuery,
  StageBar,
  StatusChip,
  useRefetchOn,
  VerdictChip,
  LabelChip,
  useOutline,
  usePollMs,
  type SessionDetail,
  type StageDetail,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, type ReactElement } from 'react';
import { StageLog } from './StageLog';

// Preloaded while the investigation runs.
void expectMarkdown();

/** Returns the stage that is running or comes next; undefined: none. */
const stageAtWork = (session: SessionDetail): StageDetail | undefined =>
  byStage(session.stages)
    .flatMap(({ branches }) => branches.map(({ current }) => current))
    .find(({ status }) => status === 'active' || status === 'pending');

/** Status line of a session. */
export function status(session: SessionDetail, limit: number | null): string {
  const current = stageAtWork(session);
  if (session.completed_at_us != null) {
    const agent = byStage(session.stages).at(-1)?.branches[0].current.agent;
    return session.final_analysis != null
      ? `Analysis completed by ${agent ?? 'the chain'}`
      : session.status === 'cancelled'
        ? 'Cancelled'
        : 'Ended without analysis';
  }
  if (current === undefined) return 'Queued, waiting for a chain worker';
  if (current.status === 'pending') return `Stage ${current.stage_name} is waiting for a worker`;
  const iteration = iterationText(currentIteration(current), limit);
  return `Processing with ${current.agent}${iteration === '' ? '' : `, ${iteration}`}`;
}

/** Follows a session from submission to its analysis. */
export default function SessionProgress({ id }: { id: string }): ReactElement {
  const client = useQueryClient();
  const every = usePollMs(1000);
  const query = useMemo(() => sessionQuery(client, id), [client, id]);
  const {
    data: session,
    error,
    isPending,
    refetch,
  } = useQuery({ ...query, refetchInterval: ({ state }) => (state.data?.completed_at_us != null ? false : every) });
  useRefetchOn(sessionChannel(id), query.queryKey, 400);
  const limit = useIterationLimit(session === undefined ? null : (stageAtWork(session)?.agent ?? null));
  const { sections, confidence } = useOutline(session?.final_analysis);
  if (isPending) return <Loading what="the session" />;
  if (session === undefined) return <ErrorState error={error} onRetry={refetch} />;
  const nodes = chainNodes(session);
  const ended = nodes.filter((node) =>
    ['completed', 'partial', 'failed', 'cancelled', 'skipped'].includes(node.status),
  ).length;
  const running = session.completed_at_us == null;
  const share = running ? chainShare(session.stages, nodes.length) : 100;
  const servers = new Set(
    session.stages.flatMap((stage) =>
      stage.chronological_interactions.flatMap((call) => (call.type === 'mcp' ? [call.details.server_name] : [])),
    ),
  );
  return (
    <Box sx={{ ...COLUMN, gap: 2 }}>
      <Box component="section" aria-label="Progress" sx={{ ...CARD, p: 2, display: 'grid', gap: 1 }}>
        <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center', flexWrap: 'wrap' }}>
          <StatusChip status={session.status} outcome={session.outcome} verdict={session.verdict} />
          <VerdictChip verdict={session.verdict} summary={session.verdict_check?.summary} />
          <LabelChip label={session.label} error={session.label_error} />
          <Typography variant="h2">
            <span role="status" data-testid="status">
              {status(session, limit)}
            </span>
          </Typography>
          <Box sx={{ flex: 1 }} />
          <Typography variant="body2" color="text.secondary">
            <Elapsed startUs={session.started_at_us} endUs={session.completed_at_us} />
          </Typography>
        </Box>
        <LinearProgress variant="determinate" value={share} aria-label={`${String(share)} percent of the chain`} />
        <Box sx={{ display: 'flex', gap: 2, alignItems: 'center', flexWrap: 'wrap' }}>
          <StageBar stages={nodes} label={nodes.map((node) => `${node.name}: ${node.status}`).join(', ')} />
          <Faint>
            {share} %, {String(ended)} of {pluralize(nodes.length, 'stage')}
            {servers.size > 0 ? `, MCP servers: ${[...servers].join(', ')}` : ''}
          </Faint>
          <Link href={`${PREFIX}/dashboard/sessions/${session.session_id}`} variant="caption">
            Open in the dashboard
          </Link>
          <Box sx={{ display: 'flex', alignItems: 'center' }}>
            <Faint>{session.session_id}</Faint>
            <CopyButton text={session.session_id} what="session id" />
          </Box>
        </Box>
      </Box>
      {session.error_message != null && <Alert severity="error">{session.error_message}</Alert>}
      {session.final_analysis != null && (
        <Box component="section" aria-label="Result" data-testid="result" sx={{ ...CARD, p: 2 }}>
          <Box sx={{ display: 'flex', justifyContent: 'space-between' }}>
            <Box
              sx={{
                display: 'flex',
                flexWrap: 'wrap',
                minWidth: 0,
                alignItems: 'center',
                columnGap: 1,
                rowGap: 0.5,
                mb: 1,
              }}
            >
              <Typography variant="h2">Analysis</Typography>
              {confidence !== null && <ConfidenceChip level={confidence} verdict={session.verdict} />}
              <ClaimsChip claims={claimsOfAnalysis(session)} />
            </Box>
            <CopyButton text={session.final_analysis} what="analysis as Markdown" />
          </Box>
          <Report text={session.final_analysis} sections={sections} />
        </Box>
      )}
      <StageLog session={session} />
    </Box>
  );
}
