import { Box, Typography } from '@mui/material';
import { Answer, type EvidenceLinks, type ReportVerdict } from '@tarsy/ui';
import { useMemo, type ReactElement } from 'react';

/** Summary of the report: what happened, its cause, its impact, and the first step. All words are the author's. */
export function VerdictZone({ verdict, seen }: { verdict: ReportVerdict; seen: EvidenceLinks | null }): ReactElement {
  // Names link to their evidence only in the report below. Here, only names that no tool showed are marked.
  const marks = useMemo(
    () => (seen === null ? null : { isUnseen: seen.isUnseen, unseen: seen.unseen, times: () => 0, show: seen.show }),
    [seen],
  );
  const parts = [
    ['Cause', verdict.cause],
    ['Impact', verdict.impact],
    [verdict.isStepSafe ? 'First safe step' : 'First step', verdict.step],
  ] as const;
  return (
    <Box data-testid="verdict-zone" sx={{ display: 'grid', gap: 1, minWidth: 0, maxWidth: '92ch' }}>
      {verdict.headline !== null && (
        <Box
          role="heading"
          aria-level={3}
          data-testid="verdict-headline"
          sx={{ '& > div': { fontSize: '1rem', fontWeight: 600 } }}
        >
          <Answer text={verdict.headline} seen={marks} />
        </Box>
      )}
      <Box
        component="dl"
        sx={{
          m: 0,
          display: 'grid',
          gridTemplateColumns: { xs: 'minmax(0, 1fr)', md: 'max-content minmax(0, 1fr)' },
          columnGap: 1.5,
          rowGap: { xs: 0, md: 0.5 },
          '& dd p': { m: 0 },
        }}
      >
        {parts.map(([name, text]) =>
          text === null ? null : (
            <Box key={name} sx={{ display: 'contents' }}>
              <Typography component="dt" variant="body2" color="text.secondary" sx={{ lineHeight: 1.55 }}>
                {name}
              </Typography>
              <Box component="dd" sx={{ m: 0, mb: { xs: 0.75, md: 0 }, minWidth: 0 }}>
                <Answer text={text} seen={marks} />
              </Box>
            </Box>
          ),
        )}
      </Box>
    </Box>
  );
}
