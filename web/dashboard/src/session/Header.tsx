import { Box, IconButton, Link, Tooltip, Typography } from '@mui/material';
import {
  CopyButton,
  Faint,
  formatCost,
  formatCount,
  exportSession,
  Elapsed,
  mono,
  LabelChip,
  SeverityMark,
  StatusChip,
  Time,
  useAction,
  VerdictChip,
  type SessionDetail,
} from '@tarsy/ui';
import { ArrowLeft, Link2 } from 'lucide-react';
import { useState, type ReactElement, type ReactNode } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { ExportButton } from '../app/ExportButton';
import { useIsWide } from '../app/useIsWide';
import { WordBreaks } from '../app/WordBreaks';
import { download } from '../sessions/bulk';
import { listAddress } from '../sessions/listPosition';
import { Actions } from './Actions';
import { Triage } from './Triage';
import { investigation, toolCalls, type Investigation } from './totals';

function Figure({ name, children, hint }: { name: string; children: ReactNode; hint?: string }): ReactElement {
  const figure = (
    <Box sx={{ display: 'flex', gap: 0.75, alignItems: 'baseline', whiteSpace: 'nowrap' }}>
      <Faint>{name}</Faint>
      <Typography component="span" variant="body2" sx={{ fontVariantNumeric: 'tabular-nums', fontWeight: 550 }}>
        {children}
      </Typography>
    </Box>
  );
  return hint === undefined ? figure : <Tooltip title={hint}>{figure}</Tooltip>;
}

const FORMATS = [
  ['md', 'Report (Markdown)'],
  ['json', 'Everything (JSON)'],
  ['csv', 'Interactions (CSV)'],
] as const;

function ExportMenu({ session }: { session: SessionDetail }): ReactElement {
  const { error, run } = useAction();
  return (
    <ExportButton
      formats={FORMATS}
      verb={error === null ? 'Export' : 'Export failed'}
      hint={error ?? ''}
      onExport={async (format) => {
        await run(async () => {
          download(await exportSession(session.session_id, format), `session-${session.session_id}.${format}`);
        });
      }}
    />
  );
}

/** Link that scrolls to a part of the page. */
function Jump({ to, children }: { to: string; children: ReactNode }): ReactElement {
  return (
    <Link
      component="button"
      variant="caption"
      underline="hover"
      sx={{ minHeight: 24 }}
      onClick={() => {
        document.getElementById(to)?.scrollIntoView({ block: 'start' });
      }}
    >
      {children} ↓
    </Link>
  );
}

/** Further figures and links, for which only a wide screen has room. */
function Rest({ session, sums }: { session: SessionDetail; sums: Investigation }): ReactElement {
  return (
    <>
      <Figure name="tokens" hint="Includes all attempts, sub-agents and questions">
        {formatCount(sums.inputTokens)} in, {formatCount(sums.outputTokens)} out
      </Figure>
      <Figure name="calls">
        {formatCount(session.llm_interaction_count)} model, {formatCount(toolCalls(session.stages))} tool
      </Figure>
      {session.conversation_id != null && (
        <Figure name="question about">
          <Link component={RouterLink} to={`/sessions/${session.conversation_id}`} underline="hover">
            session {session.conversation_id.slice(-6)}
          </Link>
        </Figure>
      )}
      <Figure name="chain">
        <Link component={RouterLink} to={`/sessions?chain=${encodeURIComponent(session.chain_id)}`} underline="hover">
          {session.chain_id}
        </Link>
      </Figure>
      <Box sx={{ display: 'flex', alignItems: 'center' }}>
        <Faint title={session.session_id} sx={{ fontFamily: mono }}>
          {session.session_id.slice(-6)}
        </Faint>
        <CopyButton text={session.session_id} what="session ID" />
        <CopyButton text={() => location.href} what="link to this view" icon={<Link2 size={14} />} />
      </Box>
      <Box component="nav" aria-label="On this page" sx={{ display: 'flex', gap: 1.5 }}>
        {session.conversation_id == null && session.completed_at_us != null && <Jump to="questions">Questions</Jump>}
        <Jump to="stages">Stages</Jump>
        <Jump to="record">Details</Jump>
      </Box>
    </>
  );
}

/** Header of the session page: title, status, metrics, actions. */
export function Header({ session, onChanged }: { session: SessionDetail; onChanged: () => void }): ReactElement {
  const sums = investigation(session);
  const [more, setMore] = useState(false);
  const isWide = useIsWide();
  // On a phone a press shows the rest, because people come for the answer.
  const whole = isWide || more;
  const actions = (
    <>
      <Actions session={session} onChanged={onChanged} />
      <ExportMenu session={session} />
    </>
  );
  return (
    <Box component="header" sx={{ display: 'grid', gap: 1 }}>
      <Box
        sx={{
          display: 'flex',
          columnGap: 1.25,
          rowGap: { xs: 0.75, md: 1.25 },
          alignItems: 'center',
          flexWrap: 'wrap',
        }}
      >
        <Tooltip title="Back to the list (Esc)">
          <IconButton component={RouterLink} to={listAddress()} aria-label="Back to the list">
            <ArrowLeft size={18} />
          </IconButton>
        </Tooltip>
        <Typography variant="h1" sx={{ overflowWrap: 'anywhere', flex: { xs: '1 1 70%', md: '0 1 auto' } }}>
          <WordBreaks name={session.alert_type} />
        </Typography>
        <StatusChip {...session} />
        <VerdictChip verdict={session.verdict} summary={session.verdict_check?.summary} />
        <LabelChip label={session.label} error={session.label_error} />
        <SeverityMark severity={session.severity} />
        {isWide && <Box sx={{ display: 'flex', gap: 1.25, ml: 'auto' }}>{actions}</Box>}
      </Box>
      <Box sx={{ display: 'flex', columnGap: 2.5, rowGap: 0.5, flexWrap: 'wrap', alignItems: 'center', pl: { md: 5 } }}>
        <Figure name="started">
          <Time us={session.started_at_us} />
        </Figure>
        <Figure name={session.completed_at_us == null ? 'running for' : 'duration'}>
          <Elapsed startUs={session.started_at_us} endUs={session.completed_at_us} />
        </Figure>
        <Figure name="cost" hint="Estimate. A lower bound if prices are missing.">
          <span data-testid="cost">
            {isWide && sums.split !== null ? sums.split : formatCost(sums.costUsd, sums.completeness)}
          </span>
        </Figure>
        {!isWide && (
          <Link
            component="button"
            variant="caption"
            underline="hover"
            sx={{ minHeight: 24 }}
            aria-expanded={more}
            onClick={() => {
              setMore(!more);
            }}
          >
            {more ? 'Less' : 'More details and actions'}
          </Link>
        )}
        {whole && <Rest session={session} sums={sums} />}
      </Box>
      {!isWide && more && (
        <Box data-testid="actions" sx={{ display: 'flex', gap: 0.75, flexWrap: 'wrap' }}>
          {actions}
        </Box>
      )}
      {whole && <Triage session={session} onChanged={onChanged} />}
    </Box>
  );
}
