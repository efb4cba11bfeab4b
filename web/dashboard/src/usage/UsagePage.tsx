import { Alert, Box, Button, Typography } from '@mui/material';
import { EmptyState, Toggle, usage, usageCsv, useAction, useNow, usePollMs, useTitle } from '@tarsy/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { type ReactElement } from 'react';
import { Page } from '../app/Page';
import { useAddress } from '../app/useAddress';
import { QueryResult, Section } from '../fleet/Section';
import { download } from '../sessions/bulk';
import { PeriodChoices } from './PeriodChoices';
import { BY, MEASURES, notPriced, queryBefore, readShown, usageQuery } from './usage';
import { UsageChart } from './UsageChart';
import { UsageTable } from './UsageTable';

/** Page with tokens, cost, calls and times by group and time step. */
export default function UsagePage(): ReactElement {
  useTitle('Usage');
  const [params, change] = useAddress();
  const shown = readShown(params);
  const query = usageQuery(shown, useNow(60_000));
  const every = usePollMs(60_000);
  const { error: failed, run } = useAction();
  const report = useQuery({
    queryKey: ['usage', query],
    queryFn: async ({ signal }) => usage(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: every,
  });
  const before = useQuery({
    queryKey: ['usage-before', query],
    queryFn: async ({ signal }) => usage(queryBefore(query), signal),
    placeholderData: keepPreviousData,
    staleTime: 600_000,
  });
  const measure = shown.by === 'tool' ? 'calls' : shown.measure;
  const save = (): void => {
    void run(async () => {
      download(await usageCsv(query), `usage-by-${shown.by}.csv`);
    });
  };
  return (
    <Page widest={1400}>
      <Typography variant="h1">Usage</Typography>
      <PeriodChoices by={shown.by} words={BY} range={shown.range} step={shown.step} onChange={change}>
        <Box sx={{ flex: 1 }} />
        <Button variant="outlined" startIcon={<Download size={14} />} onClick={save}>
          CSV
        </Button>
      </PeriodChoices>
      {failed !== null && <Alert severity="error">CSV export failed: {failed}</Alert>}
      <QueryResult list={report} what="the usage">
        {(data) =>
          data.total.calls === 0 ? (
            <EmptyState title="No calls in this time">Choose a longer time, or another grouping.</EmptyState>
          ) : (
            <>
              {!data.is_summed_up && (
                <Alert severity="info">
                  Older sessions are still being summed up. The figures rise until that is done.
                </Alert>
              )}
              {shown.by !== 'tool' && data.not_priced.length > 0 && (
                <Alert severity="warning" data-testid="not-priced">
                  These models have no price, so the cost is a lower bound. Set <code>prices</code> in the
                  configuration.
                  <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
                    {data.not_priced.map((one) => (
                      <li key={`${one.provider}/${one.model}`}>{notPriced(one)}</li>
                    ))}
                  </Box>
                </Alert>
              )}
              <Section
                title={measure === 'cost' ? 'Cost' : measure === 'tokens' ? 'Tokens' : 'Calls'}
                id="usage-chart"
                note={shown.step === 'hour' ? 'by hour' : `by ${shown.step}, UTC`}
              >
                {shown.by !== 'tool' && (
                  <Toggle
                    label="Measure"
                    value={measure}
                    options={MEASURES.map((word) => [word, word] as const)}
                    onChange={(show) => {
                      change({ show });
                    }}
                    sx={{ px: 2, pb: 1 }}
                  />
                )}
                <UsageChart usage={data} measure={measure} step={shown.step} />
              </Section>
              <Section
                title={`By ${shown.by}`}
                id="usage-groups"
                note="estimated at the prices at the time of each call; change against the period before"
              >
                <UsageTable usage={data} before={before.data} by={shown.by} />
              </Section>
            </>
          )
        }
      </QueryResult>
    </Page>
  );
}
