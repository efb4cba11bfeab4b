import { Alert, Box, Typography } from '@mui/material';
import { EmptyState, evaluations, quality, useNow, usePollMs, useTitle } from '@tarsy/ui';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Page } from '../app/Page';
import { useAddress } from '../app/useAddress';
import { QueryResult, Section, SectionText } from '../fleet/Section';
import { PeriodChoices } from '../usage/PeriodChoices';
import { readShown, usageQuery } from '../usage/usage';
import { EvaluationTable } from './EvaluationTable';
import { GroupTable, VerdictTable } from './tables';
import { VerdictChart } from './VerdictChart';

const NOTES = {
  chain: 'questions and sub-agents are not counted',
  model: 'the model that answered most calls of a session',
  configuration: 'agent and configuration of the last stage',
} as const;
const BY = ['chain', 'model', 'configuration'] as const;

/** Page with verdicts, ratings and scores of ended sessions, by chain or model and over time. */
export default function QualityPage(): ReactElement {
  useTitle('Quality');
  const [params, change] = useAddress();
  const { range, step } = readShown(params);
  const by = BY.find((word) => word === params.get('by')) ?? 'chain';
  const query = usageQuery({ by, range, step }, useNow(60_000));
  const report = useQuery({
    queryKey: ['quality', query],
    queryFn: async ({ signal }) => quality(query, signal),
    placeholderData: keepPreviousData,
    refetchInterval: usePollMs(60_000),
  });
  const kept = useQuery({
    queryKey: ['evaluations'],
    queryFn: async ({ signal }) => evaluations(signal),
    staleTime: 60_000,
  });
  return (
    <Page widest={1400}>
      <Typography variant="h1">Quality</Typography>
      <PeriodChoices by={by} words={BY} range={range} step={step} onChange={change} />
      <QueryResult list={report} what="the quality of answers">
        {(data) =>
          data.total.sessions === 0 ? (
            <EmptyState title="No session ended in this time">
              Choose a longer time. Sessions count as long as they are kept.
            </EmptyState>
          ) : (
            <>
              {!data.is_scored && (
                <Alert severity="info">
                  Older sessions are still being scored. The figures rise until that is done.
                </Alert>
              )}
              <Section
                title="Verdicts"
                id="quality-verdicts"
                note={`a program looked up in the tool results what each answer names; by ${step}${step === 'hour' ? '' : ', UTC'}`}
              >
                <VerdictChart quality={data} step={step} />
                <VerdictTable quality={data} />
              </Section>
              <Section title={`By ${by}`} id="quality-groups" note={NOTES[by]}>
                <GroupTable quality={data} by={by} />
                <Box
                  component="dl"
                  sx={{ px: 2, py: 1, m: 0, color: 'text.secondary', '& dt, & dd': { display: 'inline', m: 0 } }}
                >
                  {MEANINGS.map(([name, meaning]) => (
                    <Typography key={name} component="div" variant="caption" sx={{ display: 'block' }}>
                      <dt>{name}: </dt>
                      <dd>{meaning}</dd>
                    </Typography>
                  ))}
                </Box>
              </Section>
            </>
          )
        }
      </QueryResult>
      <Section
        title="Evaluations"
        id="evaluations"
        note="recorded incidents, whose cause is known; what tarsy eval publish has kept"
      >
        <QueryResult list={kept} what="the evaluations">
          {(all) =>
            all.length === 0 ? (
              <SectionText>
                None is kept. Run <code>tarsy eval run</code>, then <code>tarsy eval publish</code>.
              </SectionText>
            ) : (
              <EvaluationTable evaluations={all} />
            )
          }
        </QueryResult>
      </Section>
    </Page>
  );
}

/** Meanings of the columns. */
const MEANINGS = [
  ['Supported', 'verdicts “supported” and “no fault”.'],
  ['Without a call', 'tools were offered, and none was called.'],
  ['Unknown names', 'the answer names something that no tool result contains.'],
  ['Found', 'names, numbers and times of answers that tool results contain.'],
  ['Silent source', 'no call to one of the tool servers succeeded.'],
  ['Rated correct', 'of the answers that a person has rated.'],
] as const;
