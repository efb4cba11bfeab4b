import { Box, Chip, Link, Typography } from '@mui/material';
import { CARD, useAlertTypes, useFilterOptions } from '@tarsy/ui';
import type { ReactElement } from 'react';
import { Link as RouterLink } from 'react-router-dom';

function Names({
  title,
  names,
  parameter,
}: {
  title: string;
  names: readonly string[];
  parameter: string;
}): ReactElement {
  return (
    <Box component="section" sx={{ ...CARD, p: 2 }}>
      <Typography variant="h2" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <Box sx={{ display: 'flex', gap: 1, flexWrap: 'wrap' }}>
        {names.map((name) => (
          <Link
            key={name}
            component={RouterLink}
            to={`/sessions?${parameter}=${encodeURIComponent(name)}`}
            underline="none"
          >
            <Chip label={name} variant="outlined" clickable />
          </Link>
        ))}
      </Box>
    </Box>
  );
}

/** Alert types and chains, for users who may not read the configuration. */
export function KnownNames(): ReactElement {
  const types = useAlertTypes();
  const options = useFilterOptions();
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      {types.data !== undefined && <Names title="Alert types" names={types.data} parameter="alert_type" />}
      {options.data !== undefined && <Names title="Chains" names={options.data.chain_ids} parameter="chain" />}
    </Box>
  );
}
