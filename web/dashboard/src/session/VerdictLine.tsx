import { Alert } from '@mui/material';
import { Faint, verdictTone, type VerdictCheck } from '@tarsy/ui';
import type { ReactElement } from 'react';

const SEVERITY = { good: 'success', bad: 'error', warn: 'warning', rest: 'info', run: 'info' } as const;

/** Verdict of the check of the answer, with its summary. */
export function VerdictLine({ verdict, check }: { verdict: string | null; check: VerdictCheck }): ReactElement {
  const shown = verdictTone(verdict);
  if (shown === null) return <Faint data-testid="verdict-check">{check.summary}</Faint>;
  return (
    <Alert severity={SEVERITY[shown.tone]} data-testid="verdict-check" sx={{ overflowWrap: 'anywhere' }}>
      <b>{shown.label.charAt(0).toUpperCase() + shown.label.slice(1)}.</b> {check.summary}
    </Alert>
  );
}
