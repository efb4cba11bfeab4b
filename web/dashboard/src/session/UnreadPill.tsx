import { Box, Button, Typography } from '@mui/material';
import { formatCount } from '@tarsy/ui';
import { ArrowDown } from 'lucide-react';
import type { ReactElement, RefObject } from 'react';

interface Props {
  /** Number of events below the read position. */
  unseen: number;
  follows: boolean;
  running: boolean;
  onFollow: () => void;
  /** Element that gets the focus when the button disappears. */
  foot: RefObject<HTMLDivElement | null>;
}

/** Pill with the number of unread events, or "Following". Comes before the conversation in Tab order. */
export function UnreadPill({ unseen, follows, running, onFollow, foot }: Props): ReactElement {
  // The button disappears, so the focus moves to keep the keyboard's place.
  const press = (): void => {
    foot.current?.focus({ preventScroll: true });
    onFollow();
  };
  return (
    <Box
      ref={foot}
      role="status"
      tabIndex={-1}
      data-testid="newest"
      sx={{
        position: 'fixed',
        left: 0,
        right: 0,
        bottom: 12,
        zIndex: 4,
        display: 'grid',
        justifyItems: 'center',
        pointerEvents: 'none',
        outline: 'none',
      }}
    >
      {follows && running && (
        <Typography
          variant="caption"
          sx={{ px: 1.5, py: 0.25, borderRadius: 4, border: 1, borderColor: 'divider', bgcolor: 'background.paper' }}
        >
          Following
        </Typography>
      )}
      {unseen > 0 && (
        <Button
          variant="contained"
          endIcon={<ArrowDown size={14} />}
          title="Jump to the latest event and follow (G)"
          onClick={press}
          sx={{ pointerEvents: 'auto', borderRadius: 4 }}
        >
          {formatCount(unseen)} new
        </Button>
      )}
    </Box>
  );
}
