import { Alert, Link } from '@mui/material';
import type { ReactElement } from 'react';
import { Link as RouterLink, useLocation } from 'react-router-dom';
import type { Warning } from './warnings';

/** Bars with warnings, and the notice of a new version. */
export default function BannerLines({
  lines,
  newVersion,
}: {
  lines: readonly Warning[];
  newVersion: string | null;
}): ReactElement {
  const { pathname } = useLocation();
  const link = (to: string, text: string): ReactElement | null =>
    pathname === to ? null : (
      <Link component={RouterLink} to={to} color="inherit">
        {text}
      </Link>
    );
  return (
    <div role="region" aria-label="Warnings">
      {lines.map((line) => (
        <Alert key={line.text} severity={line.severe ? 'error' : 'warning'} square sx={{ py: 0 }}>
          {line.text} {line.isSetup === true ? link('/setup', 'Set up') : link('/fleet', 'View fleet')}
        </Alert>
      ))}
      {newVersion !== null && (
        <Alert severity="info" square sx={{ py: 0 }}>
          A new version is available ({newVersion}).{' '}
          <Link
            component="button"
            color="inherit"
            onClick={() => {
              location.reload();
            }}
          >
            Reload the page
          </Link>
        </Alert>
      )}
    </div>
  );
}
