import {
  Alert,
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  Typography,
  useMediaQuery,
} from '@mui/material';
import {
  Choice,
  Code,
  CopyButton,
  EmptyState,
  Faint,
  IconAction,
  statusTone,
  type ReadSession,
  type StageDetail,
} from '@tarsy/ui';
import { ArrowLeftRight, Link2 } from 'lucide-react';
import { useMemo, type ReactElement, type ReactNode } from 'react';
import { useReplays } from '../replays';
import { calls, readPair, repeated, writePair, type Pair } from './attempts';
import { CallList } from './CallList';
import { MetricsTable } from './MetricsTable';
import { TextDiff } from './TextDiff';

interface Props {
  session: ReadSession;
  /** Pair in the URL. */
  word: string;
  onChange: (word: string) => void;
  onClose: () => void;
}

const MENU = { minWidth: 150, flex: { xs: '1 1 100%', sm: '0 0 auto' } };

/** Name of one side of a pair. */
const nameOf = ({ runs }: Pair, stage: StageDetail): string => runs.find((run) => run.stage === stage)?.name ?? '';

function Chosen({
  session,
  pair: { index, runs, a, b },
  onChange,
}: {
  session: ReadSession;
  pair: Pair;
  onChange: (word: string) => void;
}): ReactElement {
  const stages = repeated(session).map((stage) => [stage.index, `${String(stage.index + 1)}. ${stage.name}`] as const);
  const named = runs.map(({ stage, name }) => [stage.attempt, `${name}, ${statusTone(stage.status).label}`] as const);
  const [first, second] = a.branch === b.branch ? (['Before', 'After'] as const) : (['First', 'Second'] as const);
  return (
    <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap', alignItems: 'center', pt: 1 }}>
      {stages.length > 1 && (
        <Choice
          label="Stage"
          value={index}
          options={stages}
          sx={MENU}
          onChange={(to) => {
            onChange(String(to + 1));
          }}
        />
      )}
      <Choice
        label={first}
        value={a.attempt}
        options={named}
        sx={MENU}
        onChange={(to) => {
          onChange(writePair(index, to, b.attempt));
        }}
      />
      <IconAction
        does={a.branch === b.branch ? 'Swap attempts' : 'Swap branches'}
        onClick={() => {
          onChange(writePair(index, b.attempt, a.attempt));
        }}
      >
        <ArrowLeftRight size={16} />
      </IconAction>
      <Choice
        label={second}
        value={b.attempt}
        options={named}
        sx={MENU}
        onChange={(to) => {
          onChange(writePair(index, a.attempt, to));
        }}
      />
    </Box>
  );
}

function Part({ title, note, children }: { title: string; note: string; children: ReactNode }): ReactElement {
  return (
    <Box
      component="section"
      aria-label={title}
      sx={{ display: 'grid', gap: 0.75, gridTemplateColumns: 'minmax(0, 1fr)' }}
    >
      <Box sx={{ display: 'flex', gap: 1.25, alignItems: 'baseline', flexWrap: 'wrap' }}>
        <Typography variant="h2" component="h3">
          {title}
        </Typography>
        <Faint>{note}</Faint>
      </Box>
      {children}
    </Box>
  );
}

const found = (stage: StageDetail): string | null => stage.stage_output?.result ?? null;

function Conclusions({ pair }: { pair: Pair }): ReactElement {
  const { a, b } = pair;
  const [before, after] = [found(a), found(b)];
  const only = after ?? before;
  const title = 'Conclusion';
  if (only === null)
    return (
      <Part title={title} note="none in either">
        <span />
      </Part>
    );
  if (before === null || after === null) {
    const [has, none] = before === null ? [b, a] : [a, b];
    return (
      <Part title={title} note={`only in ${nameOf(pair, has)}; none in ${nameOf(pair, none)}`}>
        <Code text={only} what="conclusion" lines={24} />
      </Part>
    );
  }
  if (before === after)
    return (
      <Part title={title} note="identical in both">
        <Code text={after} what="conclusion" lines={12} />
      </Part>
    );
  return (
    <Part title={title} note={`− ${nameOf(pair, a)}, + ${nameOf(pair, b)}`}>
      <TextDiff a={before} b={after} label="Conclusion diff" />
    </Part>
  );
}

function Compared({ session, pair }: { session: ReadSession; pair: Pair }): ReactElement {
  const { a, b } = pair;
  const replays = useReplays(session) ?? [];
  const called = useMemo(() => calls(a, b), [a, b]);
  const same = called.filter(({ kind }) => kind === 'same').length;
  return (
    <>
      {a.attempt === b.attempt && <Alert severity="info">Select two different runs.</Alert>}
      <MetricsTable pair={pair} names={[nameOf(pair, a), nameOf(pair, b)]} replays={replays} />
      <Conclusions pair={pair} />
      <Part
        title="Tool calls"
        note={`${called.length === 0 ? 'none in either' : `${String(same)} of ${String(called.length)} unchanged`}${session.whole ? '' : '; still loading'}`}
      >
        {called.length > 0 && <CallList calls={called} names={[nameOf(pair, a), nameOf(pair, b)]} />}
      </Part>
    </>
  );
}

/** Compares two runs of a stage: attempts, or branches. */
export default function CompareDialog({ session, word, onChange, onClose }: Props): ReactElement {
  const pair = useMemo(() => readPair(word, session), [word, session]);
  const small = useMediaQuery('(max-width: 600px)', { noSsr: true });
  return (
    <Dialog open onClose={onClose} maxWidth="lg" fullScreen={small} aria-labelledby="compare-title">
      <DialogTitle id="compare-title">
        {pair === null
          ? 'Compare'
          : `Compare ${pair.runs.some(({ stage }) => stage.branch !== pair.a.branch) ? 'branches' : 'attempts'} of stage ${String(pair.index + 1)}, ${pair.name}`}
      </DialogTitle>
      <DialogContent
        data-testid="compare"
        sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)', gridAutoRows: 'max-content' }}
      >
        {pair === null ? (
          <EmptyState title="Nothing to compare">This stage ran once. A replay adds another attempt.</EmptyState>
        ) : (
          <>
            <Chosen session={session} pair={pair} onChange={onChange} />
            <Compared key={word} session={session} pair={pair} />
          </>
        )}
      </DialogContent>
      <DialogActions>
        <CopyButton text={() => location.href} what="link to this comparison" icon={<Link2 size={14} />} />
        <Button onClick={onClose} autoFocus>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}
