import { Box, Typography } from '@mui/material';
import { ToneChip, type InvestigationGap } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** What the investigation could not see: the analysis knows nothing of it. */
export function GapList({ gaps }: { gaps: readonly InvestigationGap[] }): ReactElement | null {
  if (gaps.length === 0) return null;
  return (
    <Box component="section" aria-labelledby="gaps-title" data-testid="gaps" sx={{ display: 'grid', gap: 0.5, minWidth: 0 }}>
      <Typography variant="h3" id="gaps-title">Gaps in the investigation</Typography>
      <Box component="ul" sx={{ m: 0, pl: 2.5, display: 'grid', gap: 0.5 }}>
        {gaps.map(({ kind, server, tool, stage, times, error }) => (
          <Typography key={`${stage} ${server} ${tool ?? ''} ${kind}`} component="li" variant="body2" sx={{ overflowWrap: 'anywhere' }}>
            <b>{tool == null ? server : `${server}.${tool}`}</b> <ToneChip tone={kind === 'refused' ? 'rest' : 'warn'} label={times === 1 ? kind : `${kind} ${String(times)} times`} />{' '}
            <Typography component="span" variant="caption" color="text.secondary">in {stage}{error == null ? '' : `: ${error}`}</Typography>
          </Typography>
        ))}
      </Box>
    </Box>
  );
}
