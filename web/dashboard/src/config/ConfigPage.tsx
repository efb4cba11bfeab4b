import { Typography } from '@mui/material';
import { ErrorState, Loading, useConfig, useTitle, type Configuration } from '@tarsy/ui';
import { lazy, Suspense, type ReactElement } from 'react';
import { Page } from '../app/Page';
import { KnownNames } from './KnownNames';

const Tree = lazy(async () => import('./ConfigTree'));

/** Sections of the configuration, without the members that the text above them shows. */
const parts = (all: Configuration): Record<string, unknown> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => name !== 'source' && name !== 'hash'));

/** Read-only configuration page; secrets are shown by name. */
export default function ConfigPage(): ReactElement {
  useTitle('Configuration');
  const { data, error, isPending, refetch } = useConfig();
  return (
    <Page widest={1200}>
      <Typography variant="h1">Configuration</Typography>
      <Typography variant="body2" color="text.secondary">
        Read-only. Loaded by the API
        {typeof data?.source === 'string' && (
          <>
            {' '}
            from <code>{data.source}</code>
          </>
        )}
        {typeof data?.hash === 'string' && (
          <>
            {' '}
            (hash <code>{data.hash.slice(0, 12)}</code>)
          </>
        )}
        . Secrets are shown by name only.
      </Typography>
      {isPending ? (
        <Loading what="the configuration" />
      ) : error !== null ? (
        <>
          <ErrorState error={error} onRetry={refetch} />
          <KnownNames />
        </>
      ) : (
        <Suspense fallback={<Loading what="the view" />}>
          <Tree value={parts(data)} />
        </Suspense>
      )}
    </Page>
  );
}
