import { Box, Link, Typography } from '@mui/material';
import { answerWords, clamped, consequenceOf, Faint, waitTarget, type Wait } from '@tarsy/ui';
import { useState, type ReactElement } from 'react';

/** Subject of the decision: the alert's target, and its headline. */
export function Target({ wait }: { wait: Wait }): ReactElement | null {
  const target = waitTarget(wait);
  if (target === null && wait.headline == null) return null;
  return (
    <Typography variant="body2" component="div" data-testid="wait-target" sx={{ overflowWrap: 'anywhere' }}>
      {target !== null && <strong>{target}</strong>}
      {target !== null && wait.headline != null && ': '}
      {wait.headline}
    </Typography>
  );
}

/** Number of characters of a conclusion that fit into four lines. */
const SHORT = 320;

type Conclusion = NonNullable<Wait['evidence']>[number];

function Concluded({ found }: { found: Conclusion }): ReactElement {
  const [whole, setWhole] = useState(false);
  const text = found.conclusion ?? (found.status === 'failed' ? 'This stage failed.' : 'No conclusion.');
  const isLong = text.length > SHORT || text.split('\n').length > 4;
  return (
    <Box sx={{ borderLeft: 2, borderColor: 'divider', pl: 1.25 }}>
      <Faint>
        {found.stage_name}
        {found.branch_name == null ? '' : ` / ${found.branch_name}`} concluded
      </Faint>
      <Typography
        variant="body2"
        sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere', ...(isLong && !whole ? { ...clamped(4) } : {}) }}
      >
        {text}
      </Typography>
      {isLong && (
        <Link
          component="button"
          variant="caption"
          underline="hover"
          aria-expanded={whole}
          onClick={() => {
            setWhole(!whole);
          }}
        >
          {whole ? 'Less' : 'More'}
        </Link>
      )}
    </Box>
  );
}

/** Conclusions of the stages that a gate needs. */
export function Evidence({ wait }: { wait: Wait }): ReactElement | null {
  const found = wait.evidence ?? [];
  return found.length === 0 ? null : (
    <Box data-testid="wait-evidence" sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      {found.map((one) => (
        <Concluded key={`${one.stage_name}/${one.branch_name ?? ''}`} found={one} />
      ))}
    </Box>
  );
}

/** Consequences of each decision, or of the one that is about to be made. */
export function Consequences({ wait, verdict }: { wait: Wait; verdict?: 'approve' | 'deny' }): ReactElement | null {
  if (wait.status !== 'open') return null;
  const words = answerWords(wait);
  const lines = (verdict === undefined ? (['approve', 'deny'] as const) : [verdict]).flatMap((answer) => {
    const text = consequenceOf(wait, answer);
    return text === null ? [] : [{ answer, text }];
  });
  return lines.length === 0 ? null : (
    <Typography variant="body2" component="div" data-testid="wait-consequences" sx={{ overflowWrap: 'anywhere' }}>
      {lines.map(({ answer, text }) => (
        <div key={answer}>
          <strong>{words[answer]}</strong>: {text}.
        </div>
      ))}
    </Typography>
  );
}
