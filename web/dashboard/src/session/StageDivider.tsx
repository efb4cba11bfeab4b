import { Box, Typography } from '@mui/material';
import { Elapsed, executionName, Faint, StatusChip, toneSurface, type StageDetail } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** Header of a stage execution in the conversation. */
export function StageDivider({
  stage,
  stages,
  marked,
}: {
  stage: StageDetail;
  stages: readonly StageDetail[];
  marked: boolean;
}): ReactElement {
  return (
    <Box
      sx={{
        display: 'flex',
        gap: 1,
        alignItems: 'center',
        px: 2,
        py: 1,
        bgcolor: marked ? toneSurface('run', 6) : 'background.default',
        borderBottom: 1,
        borderColor: 'divider',
      }}
    >
      <Typography variant="h3" component="h3">
        {stage.stage_index + 1}. {executionName(stage, stages)}
      </Typography>
      <StatusChip status={stage.status} />
      <Faint>
        {stage.agent}
        {stage.started_at_us != null && (
          <>
            {' · '}
            <Elapsed startUs={stage.started_at_us} endUs={stage.completed_at_us} />
          </>
        )}
        {stage.is_current ? '' : ' · superseded by a later attempt'}
      </Faint>
    </Box>
  );
}
