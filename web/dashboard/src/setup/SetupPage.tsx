import { Box, Button, Typography } from '@mui/material';
import {
  BARE_LIST,
  CARD,
  Coded,
  COLUMN,
  CopyButton,
  Loading,
  mono,
  PREFIX,
  ToneChip,
  useTitle,
  type Configuration,
} from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link } from 'react-router-dom';
import { Page } from '../app/Page';
import { webhookSources, type Step } from './steps';
import { useSetup } from './useSetup';

/** Maximum number of sources whose addresses are shown. */
const MOST = 8;

/** Addresses to paste into senders. */
function Addresses({ config }: { config: Configuration | undefined }): ReactElement {
  const sources = webhookSources(config);
  const paths = sources.length === 0 ? ['/alerts'] : sources.slice(0, MOST).map((source) => `/webhooks/${source}`);
  return (
    <Box component="ul" aria-label="Addresses" sx={{ ...BARE_LIST }}>
      {paths.map((path) => {
        const address = `${location.origin}${PREFIX}${path}`;
        return (
          <Box key={path} component="li" sx={{ display: 'flex', alignItems: 'center', minWidth: 0 }}>
            <Typography
              component="code"
              variant="body2"
              sx={{ fontFamily: mono, overflowWrap: 'anywhere', minWidth: 0 }}
            >
              {address}
            </Typography>
            <CopyButton text={address} what={`address of ${path}`} />
          </Box>
        );
      })}
    </Box>
  );
}

const state = ({ isDone, isNeeded }: Step) =>
  isDone
    ? ({ tone: 'good', label: 'done' } as const)
    : isNeeded
      ? ({ tone: 'bad', label: 'missing' } as const)
      : ({ tone: 'warn', label: 'open' } as const);

/** Checklist of what a fleet needs before it investigates alerts. */
export default function SetupPage(): ReactElement {
  useTitle('Setup');
  const setup = useSetup();
  if (setup === null) return <Loading what="the setup" />;
  const done = setup.steps.filter(({ isDone }) => isDone).length;
  return (
    <Page widest={860}>
      <Typography variant="h1">Setup</Typography>
      <Typography variant="body2" color="text.secondary" role="status">
        {done} of {setup.steps.length} steps are done.
      </Typography>
      <Box component="ol" sx={{ ...BARE_LIST, display: 'grid', gap: 1 }}>
        {setup.steps.map((step) => (
          <Box
            key={step.id}
            component="li"
            data-testid={`setup-${step.id}`}
            sx={{ ...CARD, p: 2, ...COLUMN, gap: 0.75, justifyItems: 'start' }}
          >
            <Box sx={{ display: 'flex', gap: 1.25, alignItems: 'center', flexWrap: 'wrap' }}>
              <Typography variant="h2">{step.title}</Typography>
              <ToneChip {...state(step)} />
            </Box>
            <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
              <Coded text={step.text} />
            </Typography>
            {step.id === 'webhook' && <Addresses config={setup.config} />}
            {step.id === 'alert' && !step.isDone && (
              <Button component={Link} to="/submit" variant="outlined">
                Submit a test alert
              </Button>
            )}
          </Box>
        ))}
      </Box>
    </Page>
  );
}
