import { Alert, Box, Divider, Typography } from '@mui/material';
import {
  CARD,
  chainNodes,
  claimsOfAnalysis,
  ClaimsChip,
  clamped,
  Coded,
  COLUMN,
  ConfidenceChip,
  CopyButton,
  isStageWait,
  openWaits,
  plainError,
  Report,
  reportVerdict,
  StageBar,
  parseReply,
  UnseenNames,
  useOutline,
  visible,
  type ReadSession,
  type SessionDetail,
} from '@tarsy/ui';
import { useMemo, type ReactElement } from 'react';
import { ClaimList } from './ClaimList';
import { earlierAnswer } from './earlierAnswer';
import { useEvidenceLinks } from './evidenceLinks';
import { NotCovered } from './NotCovered';
import { StreamedAnswers } from './StreamedAnswers';
import { usePointing, type Pointed } from './pointing';
import { currentStage } from './totals';
import { VerdictLine } from './VerdictLine';
import { VerdictZone } from './VerdictZone';
import { StageWaits, WaitCard } from './WaitCard';

/** Hover style of sentences with evidence, to show that readers can point at them. */
const POINTABLE = {
  '& .sentence:has(.seen):hover, & [data-claim]:hover': { bgcolor: 'action.hover', borderRadius: 0.5 },
};

/** Placeholder of a running session's analysis. */
function Waiting({ session }: { session: SessionDetail }): ReactElement {
  const stage = currentStage(session);
  const nodes = chainNodes(session);
  const said = stage?.chronological_interactions.findLast(
    (call) => call.type === 'llm' && call.details.response_text != null,
  );
  const reply = said?.type === 'llm' ? parseReply(said.details.response_text ?? '') : null;
  const thought = reply === null ? null : (reply.thought ?? reply.rest);
  return (
    <Box sx={{ display: 'grid', gap: 1 }} role="status" aria-live="polite">
      <StageBar stages={nodes} label={nodes.map((node) => `${node.name}: ${node.status}`).join(', ')} />
      <Typography variant="body2">
        {stage === undefined ? (
          'Queued, waiting for a chain worker.'
        ) : (
          <>
            Stage {stage.stage_index + 1} of {nodes.length}, <b>{stage.stage_name}</b>,{' '}
            {stage.status === 'active' ? (
              <>
                running agent <b>{stage.agent}</b>
              </>
            ) : stage.status === 'waiting' ? (
              'waiting'
            ) : (
              `waiting for a worker${stage.waiting_for == null || session.waiting != null ? '' : `: ${stage.waiting_for}`}`
            )}
            {stage.crash_count > 0
              ? `; resumed after ${String(stage.crash_count)} worker crash${stage.crash_count > 1 ? 'es' : ''}`
              : ''}
            .
          </>
        )}
      </Typography>
      <StreamedAnswers
        session={session}
        fallback={
          // If a call waits for approval, its card shows the thought.
          thought === null || openWaits(session).length > 0 ? null : (
            <Typography
              variant="body2"
              color="text.secondary"
              data-testid="thought"
              sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere', ...clamped(4) }}
            >
              {visible(thought)}
            </Typography>
          )
        }
      />
    </Box>
  );
}

/** Answer from before a replay, shown until the replay has an answer. */
function EarlierAnswer({ text }: { text: string }): ReactElement {
  const { sections } = useOutline(text);
  return (
    <Box data-testid="earlier-answer" sx={{ borderTop: 1, borderColor: 'divider', pt: 1.5, display: 'grid', gap: 1 }}>
      <Typography variant="overline" color="text.secondary" sx={{ lineHeight: 1.4 }}>
        Before the replay
      </Typography>
      <Report text={text} sections={sections} seen={null} />
    </Box>
  );
}

/** The final analysis, its verdict first, or why there is none. `onPoint` is called for each sentence pointed at. */
export function AnswerCard({
  session,
  onPoint,
}: {
  session: ReadSession;
  onPoint?: (pointed: Pointed) => void;
}): ReactElement {
  const seen = useEvidenceLinks(session);
  const ended = session.completed_at_us != null;
  const { final_analysis: analysis, error_message: error } = session;
  const waits = openWaits(session);
  const { sections, confidence } = useOutline(analysis);
  const verdict = useMemo(() => reportVerdict(analysis ?? ''), [analysis]);
  // Omits the title if the verdict shows it already.
  const [title = ''] = /^#+ (.*)/.exec(analysis ?? '')?.slice(1) ?? [];
  const body = title !== '' && title === verdict?.headline ? (analysis ?? '').replace(/^.*/, '') : (analysis ?? '');
  const claims = claimsOfAnalysis(session);
  const pointing = usePointing(seen, claims?.claims ?? [], onPoint);
  const earlier = earlierAnswer(session);
  // The check of the answer also covers names that are not marked as code.
  const unseen = [
    ...new Set([
      ...(session.verdict_check?.unknown_names ?? []).filter((name) => (seen?.times(name) ?? 0) === 0),
      ...(seen?.unseen ?? []),
    ]),
  ];
  return (
    <Box
      component="section"
      id="verdict"
      aria-labelledby="answer-title"
      data-testid="answer"
      {...pointing}
      sx={{
        ...(onPoint === undefined ? {} : POINTABLE),
        ...CARD,
        p: 2,
        scrollMarginTop: 54,
        minWidth: 0,
        ...COLUMN,
        alignContent: 'start',
        gap: 1.5,
      }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', justifyContent: 'space-between' }}>
        <Box sx={{ display: 'flex', alignItems: 'center', flexWrap: 'wrap', columnGap: 1, rowGap: 0.5 }}>
          <Typography variant="h2" id="answer-title">
            {ended
              ? analysis == null
                ? 'No answer'
                : 'Final analysis'
              : session.waiting == null && waits.length === 0
                ? 'In progress'
                : 'Waiting'}
          </Typography>
          {confidence !== null && <ConfidenceChip level={confidence} verdict={session.verdict} />}
          <ClaimsChip claims={claims} />
        </Box>
        {analysis != null && <CopyButton text={analysis} what="analysis as Markdown" />}
      </Box>
      <StageWaits waits={waits} author={session.author} />
      {!ended && session.waiting != null && !isStageWait(session.waiting) && <WaitCard wait={session.waiting} />}
      {!ended && <Waiting session={session} />}
      {error != null && (
        <Alert severity={session.status === 'cancelled' ? 'info' : 'error'} sx={{ overflowWrap: 'anywhere' }}>
          <Coded text={plainError(error)} />
        </Alert>
      )}
      {verdict !== null && <VerdictZone verdict={verdict} seen={seen} />}
      {session.verdict_check != null && <VerdictLine verdict={session.verdict ?? null} check={session.verdict_check} />}
      {verdict !== null && (
        <>
          <NotCovered session={session} />
          <Divider />
        </>
      )}
      {analysis != null ? (
        <Report text={body} sections={sections} seen={seen} />
      ) : ended ? (
        <Typography variant="body2" color="text.secondary">
          {session.stages.length === 0
            ? 'It ended before a stage started.'
            : 'The stages below show what they found. Replay runs a failed stage again.'}
        </Typography>
      ) : null}
      {verdict === null && <NotCovered session={session} />}
      {earlier !== null && <EarlierAnswer text={earlier} />}
      {claims !== null && (claims.error !== null || claims.claims.length > 0) && <ClaimList claims={claims} />}
      <UnseenNames names={unseen} />
    </Box>
  );
}
