import {
  Box,
  Button,
  Dialog,
  DialogActions,
  DialogContent,
  DialogTitle,
  TextField,
  ToggleButton,
  ToggleButtonGroup,
  Typography,
} from '@mui/material';
import {
  asApiError,
  updateTriage,
  ExplainedButton,
  Time,
  ToneChip,
  useMe,
  useDeniedReason,
  type AnswerRating,
  type TriageChange,
  type SessionDetail,
} from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { ReplayDialog, replayable } from './Actions';
import { RightCause } from './RightCause';
import { FAULTS, RATINGS } from './ratings';

/** Actor of requests without access control. */
const NOBODY = 'api-client';

/** Asks for an assignee; empty unassigns. */
function AssignDialog({
  now,
  onClose,
  onAssign,
}: {
  now: string;
  onClose: () => void;
  onAssign: (name: string | null) => Promise<boolean>;
}): ReactElement {
  const [name, setName] = useState(now);
  const assign = async (): Promise<void> => {
    if (await onAssign(name.trim() === '' ? null : name.trim())) onClose();
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby="assign-title">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void assign();
        }}
      >
        <DialogTitle id="assign-title">Assign session</DialogTitle>
        <DialogContent>
          <TextField
            autoFocus
            label="Name"
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
            slotProps={{ htmlInput: { maxLength: 255 } }}
            helperText="Leave empty to unassign"
            sx={{ mt: 1 }}
          />
        </DialogContent>
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="contained">
            Assign
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Acknowledge, assign and rate a session. */
export function Triage({ session, onChanged }: { session: SessionDetail; onChanged: () => void }): ReactElement {
  const [asking, setAsking] = useState(false);
  const [trying, setTrying] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const mayNot = useDeniedReason('operator');
  const me = useMe().data?.name;
  const { care } = session;
  const why = mayNot ?? (busy ? 'Saving…' : null);
  const say = async (change: TriageChange): Promise<boolean> => {
    setBusy(true);
    try {
      await updateTriage(session.session_id, change);
      setError(null);
      onChanged();
      return true;
    } catch (thrown) {
      setError(asApiError(thrown).message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  const seen = care.acknowledged_at_us != null;
  const reviewed = care.reviewed_at_us != null;
  const replayedFrom = session.completed_at_us == null ? undefined : replayable(session)[0];
  const notRight = care.rating === 'partly_right' || care.rating === 'wrong';
  const small = { py: 0, minHeight: 26 };
  return (
    <Box
      role="group"
      aria-label="Triage"
      data-testid="care"
      sx={{ display: 'flex', columnGap: 1.25, rowGap: 0.5, flexWrap: 'wrap', alignItems: 'center', pl: { md: 5 } }}
    >
      {care.acknowledged_at_us != null && (
        <Box sx={{ display: 'flex', gap: 0.75, alignItems: 'baseline' }}>
          <ToneChip
            tone="good"
            label={
              care.acknowledged_by == null || care.acknowledged_by === NOBODY
                ? 'acknowledged'
                : `acknowledged by ${care.acknowledged_by}`
            }
          />
          <Typography variant="caption" color="text.secondary">
            <Time us={care.acknowledged_at_us} />
          </Typography>
        </Box>
      )}
      <ExplainedButton
        size="small"
        variant={seen ? 'text' : 'outlined'}
        sx={small}
        why={why}
        data-testid="acknowledge"
        onClick={() => {
          void say({ acknowledged: !seen });
        }}
      >
        {seen ? 'Unacknowledge' : 'Acknowledge'}
      </ExplainedButton>
      {care.assignee != null && <ToneChip plain tone="run" label={`assigned to ${care.assignee}`} />}
      {me !== undefined && me !== NOBODY && care.assignee !== me && (
        <ExplainedButton
          size="small"
          variant="text"
          sx={small}
          why={why}
          onClick={() => {
            void say({ assignee: me });
          }}
        >
          Assign to me
        </ExplainedButton>
      )}
      <ExplainedButton
        size="small"
        variant="text"
        sx={small}
        why={why}
        onClick={() => {
          setAsking(true);
        }}
      >
        Assign…
      </ExplainedButton>
      {session.final_analysis != null && (
        <Box sx={{ display: 'flex', gap: 0.75, alignItems: 'center' }}>
          <Typography variant="caption" color="text.secondary" id="rating-label">
            Rate the answer
          </Typography>
          <ToggleButtonGroup
            exclusive
            size="small"
            value={care.rating ?? null}
            disabled={mayNot !== null}
            aria-labelledby="rating-label"
            title={
              mayNot ??
              (care.rated_by == null ? undefined : `Rated by ${care.rated_by}. Click again to remove the rating.`)
            }
            onChange={(_, next: AnswerRating | null) => {
              if (!busy) void say({ rating: next });
            }}
          >
            {RATINGS.map(({ value, label }) => (
              <ToggleButton
                key={value}
                value={value}
                sx={{ py: 0, px: 1, minHeight: 26, textTransform: 'none', color: 'text.primary' }}
              >
                {label}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        </Box>
      )}
      {notRight && (
        <ToggleButtonGroup
          size="small"
          value={care.faults}
          disabled={mayNot !== null}
          aria-label="What was wrong"
          data-testid="faults"
          sx={{ flexWrap: 'wrap' }}
          onChange={(_, next: string[]) => {
            if (!busy) void say({ faults: next });
          }}
        >
          {FAULTS.map(({ value, label }) => (
            <ToggleButton
              key={value}
              value={value}
              sx={{ py: 0, px: 1, minHeight: 26, textTransform: 'none', color: 'text.primary' }}
            >
              {label}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      )}
      {notRight && (
        <RightCause now={care.right_cause} why={why} onState={async (cause) => say({ right_cause: cause })} />
      )}
      {care.rating === 'wrong' && replayedFrom !== undefined && (
        <ExplainedButton
          size="small"
          variant="outlined"
          sx={small}
          why={why}
          data-testid="try-again"
          onClick={() => {
            setTrying(true);
          }}
        >
          Try again with…
        </ExplainedButton>
      )}
      {session.completed_at_us != null && (
        <>
          {reviewed && (
            <ToneChip
              tone="good"
              label={
                care.reviewed_by == null || care.reviewed_by === NOBODY ? 'reviewed' : `reviewed by ${care.reviewed_by}`
              }
            />
          )}
          <ExplainedButton
            size="small"
            variant="text"
            sx={small}
            why={why}
            data-testid="review"
            onClick={() => {
              void say({ reviewed: !reviewed });
            }}
          >
            {reviewed ? 'Mark as not reviewed' : 'Mark reviewed'}
          </ExplainedButton>
        </>
      )}
      {error !== null && (
        <Typography variant="caption" color="error" role="alert">
          {error}
        </Typography>
      )}
      {trying && replayedFrom !== undefined && (
        <ReplayDialog
          session={session}
          first={replayedFrom}
          onClose={() => {
            setTrying(false);
          }}
          onChanged={onChanged}
        />
      )}
      {asking && (
        <AssignDialog
          now={care.assignee ?? ''}
          onClose={() => {
            setAsking(false);
          }}
          onAssign={async (assignee) => say({ assignee })}
        />
      )}
    </Box>
  );
}
