import { Box, Tooltip } from '@mui/material';
import type { ReactElement } from 'react';
import { statusTone, toneColor } from '../theme/tones';

export interface StageMark { name: string; status: string }

/** A chain as a row of segments, one per stage, coloured by how it went. */
export function StageBar({ stages, label }: { stages: readonly StageMark[]; label: string }): ReactElement {
  return (
    <Box role="img" aria-label={label} sx={{ display: 'flex', gap: '2px', minWidth: 48, maxWidth: 160, flex: 1 }}>
      {stages.map((stage, index) => {
        const begun = stage.status !== 'not begun';
        const { tone, label: word } = statusTone(stage.status);
        return (
          <Tooltip key={index} describeChild title={`${stage.name}: ${begun ? word : 'not begun'}`}>
            <Box
              sx={{
                height: 6, flex: 1, borderRadius: 0.5,
                bgcolor: begun && stage.status !== 'pending' ? toneColor[tone] : 'divider',
                ...(stage.status === 'active' ? { animation: 'breathe 1.6s ease-in-out infinite', '@keyframes breathe': { '50%': { opacity: 0.45 } } } : {}),
              }}
            />
          </Tooltip>
        );
      })}
    </Box>
  );
}
