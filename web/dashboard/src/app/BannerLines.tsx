import { Alert, Link } from '@mui/material';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';
import type { Warning } from './warnings';

/** Warnings as bars, and the news of another version. */
export default function BannerLines({
  lines,
  newVersion,
}: {
  lines: readonly Warning[];
  newVersion: string | null;
}): ReactElement {
  return (
    <div role="region" aria-label="Warnings">
      {lines.map((line) => (
        <Alert key={line.text} severity={line.severe ? 'error' : 'warning'} square sx={{ py: 0 }}>
          {line.text}{' '}
          <Link component={RouterLink} to={line.isSetup === true ? '/setup' : '/fleet'} color="inherit">
            {line.isSetup === true ? 'Set up' : 'View fleet'}
          </Link>
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
