import { Alert, Box, Typography } from '@mui/material';
import { Answer, type EvidenceLinks, type ReadSession } from '@tarsy/ui';
import { SearchX, ShieldX } from 'lucide-react';
import { useMemo, type ReactElement, type ReactNode } from 'react';
import { stageNamed } from './outputs';
import { Sources } from './Sources';
import { resultOfQuestion, withNumbers } from './trace';

/** Notice of a question without an answer. It looks neither like an answer nor like a failure. */
function NoAnswer({ icon, title, children }: { icon: ReactElement; title: string; children: ReactNode }): ReactElement {
  return (
    <Box
      data-testid="no-answer"
      sx={{
        display: 'flex',
        gap: 1.25,
        alignItems: 'flex-start',
        border: 1,
        borderStyle: 'dashed',
        borderColor: 'divider',
        borderRadius: 1,
        p: 1.5,
        color: 'text.secondary',
      }}
    >
      <Box sx={{ pt: 0.25, lineHeight: 0 }}>{icon}</Box>
      <div>
        <Typography variant="body2" color="text.primary" sx={{ fontWeight: 600 }}>
          {title}
        </Typography>
        <Typography variant="body2">{children}</Typography>
      </div>
    </Box>
  );
}

/** Shows why the store could not be read. Renders nothing unless the stage `catalog` failed. */
function Unavailable({ session }: { session: ReadSession }): ReactElement | null {
  const catalog = stageNamed(session, 'catalog');
  if (catalog?.status !== 'failed') return null;
  return (
    <Alert severity="warning">
      The knowledge store did not answer: {catalog.error_message}. If it was never created, run{' '}
      <code>tarsy knowledge enable</code>.
    </Alert>
  );
}

/** Result of an ended question: its answer with sources, a notice that there is none, or the reason of its failure. */
export function AnswerOfQuestion({
  session,
  open,
  onOpen,
}: {
  session: ReadSession;
  open: string | null;
  onOpen: (id: string | null) => void;
}): ReactElement {
  const result = useMemo(() => resultOfQuestion(session), [session]);
  const links = useMemo((): EvidenceLinks | null => {
    if (result === null) return null;
    const sourceOf = (name: string) => result.sources.find((source) => name === `[${String(source.number)}]`);
    return {
      times: (name) => (sourceOf(name) === undefined ? 0 : 1),
      isUnseen: () => false,
      unseen: [],
      title: (name) => `Show source ${name}`,
      show: (name) => {
        onOpen(sourceOf(name)?.id ?? null);
      },
    };
  }, [result, onOpen]);
  const { error_message: error, status } = session;
  return (
    <>
      {error != null && (
        <Alert severity={status === 'cancelled' ? 'info' : 'error'} sx={{ overflowWrap: 'anywhere' }}>
          {error}
        </Alert>
      )}
      {error == null && status === 'cancelled' && <Alert severity="info">The question was cancelled.</Alert>}
      <Unavailable session={session} />
      {result?.answer != null && (
        <div data-testid="answer-text">
          <Answer text={withNumbers(result.answer, result.sources)} seen={links} />
        </div>
      )}
      {result !== null && result.denied && (
        <NoAnswer icon={<ShieldX size={18} />} title="Withheld by a policy">
          A guardrail denies this answer. The trace names the policy.
        </NoAnswer>
      )}
      {result !== null && !result.denied && result.errors.length > 0 && (
        <Alert severity="warning" sx={{ overflowWrap: 'anywhere' }}>
          {result.supported ? 'The answer goes without what failed or was refused' : 'This failed or was refused'}:{' '}
          {result.errors.join('; ')}
        </Alert>
      )}
      {result !== null && !result.denied && !result.supported && result.errors.length === 0 && (
        <NoAnswer icon={<SearchX size={18} />} title="No answer found">
          Nothing in the knowledge store supports an answer. Other words or identifiers may find it; the trace shows
          what was searched.
        </NoAnswer>
      )}
      {result !== null && result.invented.length > 0 && (
        <Alert severity="warning">
          The model also cited {result.invented.map((id) => `[${id}]`).join(', ')}, which is not among the evidence.
          {result.supported ? ' Check the answer against its sources.' : ''}
        </Alert>
      )}
      {result !== null && result.sources.length > 0 && (
        <Sources sources={result.sources} session={session.session_id} open={open} onOpen={onOpen} />
      )}
    </>
  );
}
