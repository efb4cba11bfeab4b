import { Box, Link, Typography } from '@mui/material';
import {
  answerWords,
  codeParts,
  COLUMN,
  decideApproval,
  ExplainedButton,
  Faint,
  isShownWhole,
  parseReply,
  ReasonDialog,
  SeverityMark,
  Time,
  ToneChip,
  useDeniedReason,
  waitOutcome,
  visible,
  type AskedCall,
  type Tone,
  type Wait,
} from '@tarsy/ui';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { CallDetails } from './CallDetails';
import { Name } from './Name';
import { Remaining } from './Remaining';
import { Consequences, Evidence, Target } from './WaitFacts';

type Verdict = 'approve' | 'deny';

const OUTCOME: Partial<Record<Wait['status'], Tone>> = { approved: 'good', denied: 'bad', expired: 'warn' };

/** Thought of the agent before it asked. */
function Thought({ call }: { call: AskedCall }): ReactElement | null {
  const thought = thoughtOf(call);
  return thought === '' ? null : (
    <Box sx={{ borderLeft: 2, borderColor: 'divider', pl: 1.25 }}>
      <Faint>Thought</Faint>
      <Typography variant="body2" sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
        {thought}
      </Typography>
    </Box>
  );
}

/** Renders a question with its names as code. */
function Asking({ text }: { text: string }): ReactElement {
  return <>{codeParts(text).map((part, at) => (part.code ? <Name key={at}>{part.text}</Name> : part.text))}</>;
}

/** Returns the agent's thought. If its reply is text, leaves out the call, which is shown above. */
function thoughtOf(call: AskedCall): string {
  const { rest, thought } = parseReply(call.thought ?? '');
  return visible([rest, thought].filter((part) => part !== null).join('\n\n'));
}

/** Link to the place where the approval is asked. */
function Place({ wait }: { wait: Wait }): ReactElement {
  return (
    <Box sx={{ display: 'flex', columnGap: 1.5, rowGap: 0.25, flexWrap: 'wrap', alignItems: 'baseline' }}>
      <Link
        component={RouterLink}
        to={`/sessions/${wait.session_id}`}
        underline="hover"
        sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}
      >
        {wait.alert_name ?? wait.alert_type}
      </Link>
      <SeverityMark severity={wait.severity} />
      <Faint sx={{ overflowWrap: 'anywhere' }}>
        {wait.chain_id} · stage {wait.stage_index + 1}, {wait.stage_name}
        {wait.agent == null ? '' : ` · asked by ${wait.agent}`}
      </Faint>
    </Box>
  );
}

/** Outcome of a decided approval. */
function Outcome({ wait }: { wait: Wait }): ReactElement {
  const text = waitOutcome(wait) ?? '';
  return (
    <Box sx={{ display: 'flex', columnGap: 1, rowGap: 0.25, flexWrap: 'wrap', alignItems: 'center' }}>
      <ToneChip tone={OUTCOME[wait.status] ?? 'rest'} label={wait.status} />
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere', minWidth: 0 }}>
        {text}
      </Typography>
      {wait.decided_at_us != null && (
        <Faint>
          <Time us={wait.decided_at_us} />
        </Faint>
      )}
    </Box>
  );
}

/** A decision that the user is about to make. */
export interface Asked {
  wait: Wait;
  verdict: Verdict;
}

/**
 * Asks for a reason, and decides. Rendered outside of the cards: if somebody else decides first, the card disappears,
 * but the dialog must stay to report that.
 */
export function DecisionDialog({
  asked: { wait, verdict },
  onClose,
}: {
  asked: Asked;
  onClose: () => void;
}): ReactElement {
  const queries = useQueryClient();
  const approves = verdict === 'approve';
  const verb = answerWords(wait)[verdict];
  return (
    <ReasonDialog
      danger={!approves}
      why={isShownWhole(wait) || !approves ? null : 'The API does not send the whole call.'}
      title={`${verb}?`}
      verb={verb}
      onClose={onClose}
      // Refetches after errors too, because somebody else may have decided first.
      onConfirm={async (reason) =>
        decideApproval(wait.wait_id, verdict, reason).finally(() => {
          void queries.invalidateQueries();
        })
      }
    >
      <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
        <Asking text={wait.question} />
      </Typography>
      <Target wait={wait} />
      <CallDetails wait={wait} />
      <Consequences wait={wait} verdict={verdict} />
      <Faint>The reason is handed to the agents that follow.</Faint>
    </ReasonDialog>
  );
}

interface Props {
  wait: Wait;
  onAsk: (asked: Asked) => void;
  /** Whether the keys act on this one. */
  current?: boolean;
  /** Whether it is shown on the page of its own session, where the place is known. */
  inSession?: boolean;
}

/** Card of an approval: the question, its place, its consequences, its expiry, and the decision. */
export function ApprovalCard({ wait, onAsk, current = false, inSession = false }: Props): ReactElement {
  const mayNot = useDeniedReason(wait.role ?? 'operator');
  const open = wait.status === 'open';
  const words = answerWords(wait);
  return (
    <Box
      component="article"
      aria-label={`Approval: ${wait.question}`}
      data-testid="approval"
      data-id={wait.wait_id}
      data-status={wait.status}
      data-current={current}
      sx={{
        border: 1,
        borderColor: open ? 'warning.main' : 'divider',
        borderRadius: 1,
        bgcolor: 'background.paper',
        p: 2,
        ...COLUMN,
        gap: 1.25,
        ...(current ? { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: 2 } : {}),
      }}
    >
      {!inSession && (
        <>
          <Place wait={wait} />
          <Target wait={wait} />
        </>
      )}
      <Typography variant="h3" component={inSession ? 'h3' : 'h2'} sx={{ overflowWrap: 'anywhere' }}>
        <Asking text={wait.question} />
      </Typography>
      <CallDetails wait={wait} />
      {wait.call != null && <Thought call={wait.call} />}
      <Evidence wait={wait} />
      <Consequences wait={wait} />
      {open ? (
        <Box sx={{ display: 'flex', columnGap: 1.25, rowGap: 1, flexWrap: 'wrap', alignItems: 'center' }}>
          {isShownWhole(wait) && (
            <ExplainedButton
              variant="contained"
              why={mayNot}
              data-testid="approve"
              onClick={() => {
                onAsk({ wait, verdict: 'approve' });
              }}
            >
              {words.approve}…
            </ExplainedButton>
          )}
          <ExplainedButton
            variant="outlined"
            color="error"
            why={mayNot}
            data-testid="deny"
            onClick={() => {
              onAsk({ wait, verdict: 'deny' });
            }}
          >
            {words.deny}…
          </ExplainedButton>
          <Faint sx={{ display: 'flex', columnGap: 1.25, flexWrap: 'wrap' }}>
            <span>
              asked <Time us={wait.asked_at_us} />
            </span>
            <Remaining us={wait.expires_at_us} />
            {wait.role != null && <span>needs an {wait.role}</span>}
          </Faint>
        </Box>
      ) : (
        <Outcome wait={wait} />
      )}
    </Box>
  );
}
