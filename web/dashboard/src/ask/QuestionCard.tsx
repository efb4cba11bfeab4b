import { Box, Button, Link, Typography } from '@mui/material';
import {
  CARD,
  COLUMN,
  CopyButton,
  Faint,
  formatCost,
  formatCount,
  Loading,
  pluralize,
  Time,
  type ReadSession,
  type Turn,
} from '@tarsy/ui';
import { lazy, Suspense, useCallback, type ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { useAddress } from '../app/useAddress';
import { AnswerCard } from '../session/AnswerCard';
import { AnswerOfQuestion } from './AnswerOfQuestion';
import { useAnswering } from './useAnswering';

const TraceView = lazy(async () => import('./TraceView'));

/** Describes what a question searched; null: everything. */
function scopeOf(session: ReadSession | undefined): string | null {
  const { collections, filters } = (session?.alert_data ?? {}) as { collections?: unknown; filters?: unknown };
  const names = Array.isArray(collections) ? collections.map(String) : [];
  const values =
    typeof filters === 'object' && filters !== null
      ? Object.entries(filters).map(([field, all]) => `${field}:${Array.isArray(all) ? all.join(' or ') : String(all)}`)
      : [];
  return names.length + values.length === 0 ? null : [...names, ...values].join(', ');
}

/** State of an open part of a question, kept in the address as `name=<session>` or `name=<session>:<id>`. */
function useOpened(name: string, id: string): [value: string | null, set: (value: string | null) => void] {
  const [params, change] = useAddress();
  const [of, value = ''] = (params.get(name) ?? '').split(/:(.*)/s);
  const set = useCallback(
    (next: string | null) => {
      change({ [name]: next === null ? null : next === '' ? id : `${id}:${next}` });
    },
    [change, name, id],
  );
  return [of === id ? value : null, set];
}

/** A question with its answer, or with the progress of the answer. */
export function QuestionCard({ turn }: { turn: Turn }): ReactElement {
  const session = useAnswering(turn);
  const [chunk, setChunk] = useOpened('chunk', turn.session_id);
  const [trace, setTrace] = useOpened('trace', turn.session_id);
  const ended = session?.completed_at_us != null;
  const scope = scopeOf(session);
  const tokens =
    turn.input_tokens == null ? null : `${formatCount(turn.input_tokens)} in, ${formatCount(turn.output_tokens)} out`;
  const panel = `trace-${turn.session_id}`;
  return (
    <Box
      component="article"
      aria-label={`Question: ${turn.question}`}
      data-testid="turn"
      data-status={turn.status}
      sx={{ ...CARD, p: { xs: 1.5, sm: 2 }, ...COLUMN, gap: 1.25, scrollMarginTop: 60 }}
    >
      <Box sx={{ borderLeft: 3, borderColor: 'info.main', pl: 1.25 }}>
        <Typography variant="h2" sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          {turn.question}
        </Typography>
        <Faint sx={{ overflowWrap: 'anywhere' }}>
          {turn.author == null || turn.author === 'api-client' ? 'asked' : turn.author} <Time us={turn.asked_at_us} />
          {scope === null ? '' : ` · in ${scope}`}
        </Faint>
      </Box>
      {session === undefined ? (
        <Loading what="the answer" />
      ) : ended ? (
        <AnswerOfQuestion session={session} open={chunk} onOpen={setChunk} />
      ) : (
        <AnswerCard session={session} />
      )}
      <Box sx={{ display: 'flex', columnGap: 1.5, rowGap: 0.25, flexWrap: 'wrap', alignItems: 'center' }}>
        {ended && (
          <Button
            data-testid="trace-toggle"
            onClick={() => {
              setTrace(trace === null ? '' : null);
            }}
            aria-expanded={trace !== null}
            aria-controls={trace === null ? undefined : panel}
            sx={{ px: 0.75, ml: -0.75, py: 0, minWidth: 0 }}
          >
            Trace
          </Button>
        )}
        <Faint>{pluralize(turn.tool_calls, 'tool call')}</Faint>
        {tokens !== null && <Faint>{tokens} tokens</Faint>}
        {turn.cost_usd != null && (
          <Faint title="Estimate. A lower bound if prices are missing.">{formatCost(turn.cost_usd)}</Faint>
        )}
        <Link component={RouterLink} to={`/sessions/${turn.session_id}`} variant="caption" underline="hover">
          View session
        </Link>
        {turn.answer != null && <CopyButton text={turn.answer} what="answer with its sources as Markdown" />}
      </Box>
      {trace !== null && ended && (
        <Box id={panel}>
          <Suspense fallback={<Loading what="the trace" />}>
            <TraceView session={session} />
          </Suspense>
        </Box>
      )}
    </Box>
  );
}
