import { Alert, Box, Button, ToggleButton, ToggleButtonGroup, Typography } from '@mui/material';
import { asApiError, EmptyState, usage, usageCsv, useNow, usePollMs, useTitle } from '@tarsy/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { Page } from '../app/Page';
import { useAddress } from '../app/useAddress';
import { QueryResult, Section } from '../fleet/Section';
import { download } from '../sessions/bulk';
import { Choice } from './Choice';
import { BY, isHourly, MEASURES, notPriced, queryBefore, RANGES, readShown, STEPS, usageQuery } from './usage';
import { UsageChart } from './UsageChart';
import { UsageTable } from './UsageTable';

/** Tokens, cost, calls and times by group and step. */
export default function UsagePage(): ReactElement {
  useTitle('Usage');
  const [params, change] = useAddress();
  const shown = readShown(params);
  const query = usageQuery(shown, useNow(60_000));
  const every = usePollMs(60_000);
  const [failed, setFailed] = useState<string | null>(null);
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
  const set =
    (name: string) =>
    (word: string): void => {
      change({ [name]: word });
    };
  const measure = shown.by === 'tool' ? 'calls' : shown.measure;
  const save = async (): Promise<void> => {
    setFailed(null);
    try {
      download(await usageCsv(query), `usage-by-${shown.by}.csv`);
    } catch (error) {
      setFailed(asApiError(error).message);
    }
  };
  return (
    <Page widest={1400}>
      <Typography variant="h1">Usage</Typography>
      <Box
        role="group"
        aria-label="What is shown"
        sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'center' }}
      >
        <Choice
          label="Time"
          value={shown.range}
          words={RANGES.map(([word, said]) => [word, said] as const)}
          onChange={set('range')}
        />
        <Choice label="By" value={shown.by} words={BY.map((word) => [word, word] as const)} onChange={set('by')} />
        <Choice
          label="Step"
          value={shown.step}
          words={STEPS.filter((step) => step !== 'hour' || isHourly(shown.range)).map((word) => [word, word] as const)}
          onChange={set('step')}
        />
        <Box sx={{ flex: 1 }} />
        <Button
          variant="outlined"
          startIcon={<Download size={14} />}
          onClick={() => {
            void save();
          }}
        >
          CSV
        </Button>
      </Box>
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
                  <ToggleButtonGroup
                    exclusive
                    size="small"
                    aria-label="Measure"
                    value={measure}
                    sx={{ px: 2, pb: 1 }}
                    onChange={(_, word: string | null) => {
                      if (word !== null) set('show')(word);
                    }}
                  >
                    {MEASURES.map((word) => (
                      <ToggleButton key={word} value={word}>
                        {word}
                      </ToggleButton>
                    ))}
                  </ToggleButtonGroup>
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
