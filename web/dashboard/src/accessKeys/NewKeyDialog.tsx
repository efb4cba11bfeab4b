import { Alert, Box, Button, Dialog, DialogActions, DialogContent, DialogTitle } from '@mui/material';
import { CopyButton, mono, type NewAccessKey } from '@tarsy/ui';
import type { ReactElement } from 'react';

/** Shows a new key once. A press outside the dialog does not close it, because the key is never shown again. */
export function NewKeyDialog({ made, onClose }: { made: NewAccessKey; onClose: () => void }): ReactElement {
  return (
    <Dialog open aria-labelledby="new-key-title">
      <DialogTitle id="new-key-title">Key for {made.name}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2 }}>
        <Alert severity="warning">Copy it now. It is shown only this once: the API keeps its hash.</Alert>
        <Box
          sx={{
            display: 'flex',
            gap: 1,
            alignItems: 'center',
            p: 1.5,
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            bgcolor: 'background.default',
          }}
        >
          <Box
            component="code"
            data-testid="new-key"
            sx={{ fontFamily: mono, fontSize: '0.8125rem', overflowWrap: 'anywhere', flex: 1 }}
          >
            {made.key}
          </Box>
          <CopyButton text={made.key} what="key" />
        </Box>
      </DialogContent>
      <DialogActions>
        <Button variant="contained" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </Dialog>
  );
}
