import { LinearProgress } from '@mui/material';
import { Faint } from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';

/** Progress of an action on many items. */
export const ActionProgress = ({
  done,
  all,
  children,
}: {
  done: number;
  all: number;
  children: ReactNode;
}): ReactElement => (
  <div role="status">
    <LinearProgress variant="determinate" value={(100 * done) / Math.max(1, all)} aria-label="Progress" />
    <Faint>{children}</Faint>
  </div>
);
