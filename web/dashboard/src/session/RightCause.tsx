import { Box, Button, TextField, Typography } from '@mui/material';
import { ExplainedButton, onText, visible } from '@tarsy/ui';
import { useState, type ReactElement } from 'react';

/** Asks for the right cause if an answer is wrong, and shows it. */
export function RightCause({
  now,
  why,
  onState,
}: {
  now: string | null | undefined;
  /** Why it cannot be stated; null: it can. */
  why: string | null;
  onState: (cause: string | null) => Promise<boolean>;
}): ReactElement {
  const [text, setText] = useState<string | null>(null);
  const state = async (): Promise<void> => {
    const cause = (text ?? '').trim();
    if (why === null && (await onState(cause === '' ? null : cause))) setText(null);
  };
  if (now != null && text === null)
    return (
      <Typography
        variant="body2"
        component="div"
        data-testid="right-cause"
        sx={{ overflowWrap: 'anywhere', width: '100%' }}
      >
        Right cause: {visible(now)}{' '}
        <ExplainedButton
          variant="text"
          why={why}
          sx={{ py: 0, minHeight: 24 }}
          onClick={() => {
            setText(now);
          }}
        >
          Change
        </ExplainedButton>
      </Typography>
    );
  return (
    <Box
      component="form"
      data-testid="right-cause"
      sx={{ display: 'flex', gap: 1, alignItems: 'center', width: '100%', maxWidth: 720 }}
      onSubmit={(event) => {
        event.preventDefault();
        void state();
      }}
    >
      <TextField
        fullWidth
        label="What was the right cause?"
        helperText="Name the objects. It becomes a case for tarsy eval."
        value={text ?? ''}
        disabled={why !== null}
        slotProps={{ htmlInput: { maxLength: 2000 } }}
        onChange={onText(setText)}
      />
      <Button type="submit" variant="outlined" disabled={why !== null || (text ?? '').trim() === (now ?? '')}>
        Keep
      </Button>
    </Box>
  );
}
