import { Box, Button, Dialog, DialogActions, DialogContent, DialogTitle, Typography } from '@mui/material';
import { Faint, mono } from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { useShortcutGroups } from './ShortcutsProvider';

function Keys({ keys }: { keys: string }): ReactElement {
  return (
    <span style={{ whiteSpace: 'nowrap' }}>
      {keys.split(' ').map((key) => (
        <Box
          component="kbd"
          key={key}
          sx={{
            fontFamily: mono,
            fontSize: '0.75rem',
            border: 1,
            borderColor: 'divider',
            borderRadius: 0.75,
            px: 0.75,
            mr: 0.5,
            bgcolor: 'background.default',
          }}
        >
          {key.replace('mod+', 'Ctrl+')}
        </Box>
      ))}
    </span>
  );
}

/** Dialog with the keyboard shortcuts of the page. */
export default function HelpDialog({ onClose }: { onClose: () => void }): ReactElement {
  const bound = useShortcutGroups();
  const [groups] = useState(bound);
  return (
    <Dialog open onClose={onClose} aria-labelledby="help-title">
      <DialogTitle id="help-title">Keyboard shortcuts</DialogTitle>
      <DialogContent dividers tabIndex={0} role="group" aria-label="Shortcuts" sx={{ display: 'grid', gap: 2 }}>
        {groups.map((group) => (
          <Box key={group.title}>
            <Typography variant="h3" component="h3" sx={{ mb: 0.5 }}>
              {group.title}
            </Typography>
            <Box sx={{ display: 'grid', alignItems: 'baseline', gridTemplateColumns: '8rem 1fr', rowGap: 0.5 }}>
              {group.bindings.map((binding) => [
                <Keys key={binding.keys} keys={binding.keys} />,
                <Typography key={`${binding.keys}-does`} variant="body2">
                  {binding.does}
                </Typography>,
              ])}
            </Box>
          </Box>
        ))}
        <Faint>
          Shortcuts are disabled while you type. Use Tab and Shift+Tab to move between controls, Esc to close.
        </Faint>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
