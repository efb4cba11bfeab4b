import { LinearProgress } from '@mui/material';
import { Faint } from '@tarsy/ui';
import type { ReactElement, ReactNode } from 'react';

/** How far an action on many is. */
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
