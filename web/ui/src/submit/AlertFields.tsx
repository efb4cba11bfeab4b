import { Box, TextField } from '@mui/material';
import type { ReactElement } from 'react';
import { environmentOf, withEnvironment, withField } from './alertFields';

interface Props {
  /** The alert in the editor; null while it cannot be parsed. */
  value: Record<string, unknown> | null;
  onChange: (value: Record<string, unknown>) => void;
}

const SEVERITIES = ['critical', 'high', 'warning', 'info'];
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Form fields for common members of an alert. They write to the editor and follow its changes. */
export function AlertFields({ value, onChange }: Props): ReactElement {
  const off = value === null;
  const alert = value ?? {};
  return (
    <Box
      role="group"
      aria-label="Fields of the alert"
      sx={{
        display: 'grid',
        gap: 1.5,
        gridTemplateColumns: { xs: '1fr 1fr', md: 'minmax(0, 2fr) minmax(0, 1fr) minmax(0, 1fr)' },
        '& > :first-of-type': { gridColumn: { xs: '1 / -1', md: 'auto' } },
      }}
    >
      <TextField
        label="Runbook"
        value={textOf(alert.runbook)}
        disabled={off}
        placeholder="https://… or local:name"
        onChange={(event) => {
          onChange({ ...alert, runbook: event.target.value });
        }}
        slotProps={{ inputLabel: { shrink: true }, htmlInput: { maxLength: 2048, spellCheck: false } }}
      />
      <div>
        <TextField
          fullWidth
          label="Severity"
          value={textOf(alert.severity)}
          disabled={off}
          placeholder="warning"
          onChange={(event) => {
            onChange(withField(alert, 'severity', event.target.value));
          }}
          slotProps={{
            inputLabel: { shrink: true },
            htmlInput: { maxLength: 64, list: 'alert-severities', autoComplete: 'off' },
          }}
        />
        <datalist id="alert-severities">
          {SEVERITIES.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      </div>
      <TextField
        label="Environment"
        value={environmentOf(alert)}
        disabled={off}
        placeholder="production"
        onChange={(event) => {
          onChange(withEnvironment(alert, event.target.value));
        }}
        slotProps={{ inputLabel: { shrink: true }, htmlInput: { maxLength: 255 } }}
      />
    </Box>
  );
}
