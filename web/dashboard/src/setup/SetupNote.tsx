import { Alert, Link } from '@mui/material';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import { useHealth } from '../app/Banner';
import { setupSteps } from './steps';

/** Link to the setup page while alerts can't be investigated, or no alert has been. */
export function SetupNote({ hasAnswer }: { hasAnswer: boolean }): ReactElement | null {
  const { data: health } = useHealth();
  const open = health === undefined ? [] : setupSteps({ health, hasAnswer }).filter(({ isDone }) => !isDone);
  if (open.length === 0) return null;
  return (
    <Alert severity="info" data-testid="setup-note">
      Setup is not complete. Open steps: {open.map(({ title }) => title).join(', ')}.{' '}
      <Link component={RouterLink} to="/setup" color="inherit">
        Set up
      </Link>
    </Alert>
  );
}
