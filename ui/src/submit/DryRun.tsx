import { Alert, Box, Typography } from '@mui/material';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { Failed, Loading } from '../parts/States';
import { cost, count, plural } from '../prefs/figures';
import { duration } from '../prefs/time';
import { Time } from '../prefs/Time';
import { toneColor } from '../theme/tones';
import { forecast, type Forecast } from './forecast';

function Row({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <>
      <Typography component="dt" variant="caption" color="text.secondary" sx={{ lineHeight: 1.7 }}>{name}</Typography>
      <Typography component="dd" variant="body2" sx={{ m: 0, overflowWrap: 'anywhere' }}>{children}</Typography>
    </>
  );
}

/** How the runbook was when it was last asked for: nothing is fetched now. */
function runbookTold(runbook: string | null, before: Forecast['runbook']): ReactNode {
  if (runbook === null) return 'none is named';
  if (before === null) return 'none of the last sessions asked for it; it is fetched before the first stage, and the chain goes on without it';
  if (before.error !== null) return <span style={{ color: toneColor.warn }}>could not be had <Time us={before.atUs} />: {before.error}</span>;
  return <>was there <Time us={before.atUs} /></>;
}

/** What submitting would set off; nothing is sent. */
export function DryRun({ alertType, runbook }: { alertType: string; runbook: string | null }): ReactElement {
  const { data, error, isPending, refetch } = useQuery({ queryKey: ['forecast', alertType, runbook], queryFn: async () => forecast(alertType, runbook) });
  if (isPending) return <Loading what="earlier sessions" />;
  if (error !== null) return <Failed error={error} onRetry={() => { void refetch(); }} />;
  if (data.chainId === null) {
    return <Alert severity="info" data-testid="dry-run">The alert is valid and a chain answers <b>{alertType}</b>. No session of this type was seen yet, so nothing can be said about its time and cost.</Alert>;
  }
  return (
    <Box component="dl" data-testid="dry-run" sx={{ m: 0, display: 'grid', gridTemplateColumns: 'max-content 1fr', columnGap: 2, rowGap: 0.5 }}>
      <Row name="Chain">{data.chainId}</Row>
      <Row name="Stages">{data.stages.map((stage) => `${stage.name} (${stage.agent})`).join(' → ') || '–'}</Row>
      <Row name="Tools used last">{data.tools.join(', ') || 'none'}</Row>
      <Row name="Takes about">{duration(data.medianMs)}, {count(data.medianTokens)} tokens, {cost(data.medianCostUsd)} <span style={{ opacity: 0.75 }}>(median of {plural(data.seen, 'session')}, {data.succeeded} with an analysis)</span></Row>
      <Row name="Runbook">{runbookTold(runbook, data.runbook)}</Row>
      <Row name="Running now">{data.running.length === 0 ? 'none of this type' : `${plural(data.running.length, 'session')} of this type: the same alert again would be counted as its duplicate`}</Row>
    </Box>
  );
}
