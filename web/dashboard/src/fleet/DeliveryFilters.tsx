import { Box } from '@mui/material';
import { Choice, type DeliveryState } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { STATES, stateLabel } from './deliveries';

interface Props {
  state: DeliveryState | null;
  target: string | null;
  /** Targets to choose from. */
  names: readonly string[];
  onState: (state: DeliveryState | null) => void;
  onTarget: (target: string | null) => void;
}

/** Filters of the notifications. */
export function DeliveryFilters({ state, target, names, onState, onTarget }: Props): ReactElement {
  return (
    <Box
      role="group"
      aria-label="Notification filters"
      sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', px: 2, pb: 1.5, pt: 0.5 }}
    >
      <Choice
        label="Status"
        value={state ?? ''}
        options={[['', 'All'], ...STATES.map((one) => [one, stateLabel(one)] as const)]}
        onChange={(next) => {
          onState(next === '' ? null : next);
        }}
        sx={{ minWidth: 190 }}
      />
      <Choice
        label="Target"
        value={target ?? ''}
        options={[['', 'All'], ...names.map((name) => [name, name] as const)]}
        onChange={(next) => {
          onTarget(next === '' ? null : next);
        }}
        sx={{ minWidth: 150 }}
      />
    </Box>
  );
}
