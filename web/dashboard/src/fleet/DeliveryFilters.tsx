import { Box, MenuItem, TextField } from '@mui/material';
import type { DeliveryState } from '@tarsy/ui';
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
      <TextField
        select
        label="Status"
        value={state ?? ''}
        sx={{ minWidth: 190 }}
        slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
        onChange={(event) => {
          onState(STATES.find((one) => one === event.target.value) ?? null);
        }}
      >
        <MenuItem value="">All</MenuItem>
        {STATES.map((one) => (
          <MenuItem key={one} value={one}>
            {stateLabel(one)}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        select
        label="Target"
        value={target ?? ''}
        sx={{ minWidth: 150 }}
        slotProps={{ select: { displayEmpty: true }, inputLabel: { shrink: true } }}
        onChange={(event) => {
          onTarget(event.target.value === '' ? null : event.target.value);
        }}
      >
        <MenuItem value="">All</MenuItem>
        {names.map((name) => (
          <MenuItem key={name} value={name}>
            {name}
          </MenuItem>
        ))}
      </TextField>
    </Box>
  );
}
