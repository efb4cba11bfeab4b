import { MenuItem } from '@mui/material';
import { ExplainedButton } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { MenuButton } from './MenuButton';

/** Button that exports in one of several formats. */
export function ExportButton<F extends string>({
  formats,
  verb = 'Export',
  why = null,
  hint,
  onExport,
}: {
  formats: readonly (readonly [format: F, label: string])[];
  verb?: string;
  why?: string | null;
  hint?: string;
  onExport: (format: F) => Promise<void>;
}): ReactElement {
  return (
    <MenuButton
      button={(open) => (
        <ExplainedButton variant="outlined" why={why} hint={hint} aria-haspopup="menu" onClick={open}>
          {verb}
        </ExplainedButton>
      )}
    >
      {(close) =>
        formats.map(([format, label]) => (
          <MenuItem
            key={format}
            onClick={() => {
              close();
              void onExport(format);
            }}
          >
            {label}
          </MenuItem>
        ))
      }
    </MenuButton>
  );
}
