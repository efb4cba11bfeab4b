import { Box, Button, FormControlLabel, Switch, TableCell, TableRow, Typography } from '@mui/material';
import {
  accessKeys,
  CopyButton,
  EmptyState,
  ExplainedButton,
  Faint,
  mono,
  ReasonDialog,
  revokeAccessKey,
  Time,
  ToneChip,
  useDeniedReason,
  useMe,
  useNow,
  useSubject,
  useTitle,
  type AccessKey,
  type NewAccessKey,
} from '@tarsy/ui';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState, type ReactElement } from 'react';
import { Page } from '../app/Page';
import { QueryResult, Section, SmallTable } from '../fleet/Section';
import { CreateKeyDialog } from './CreateKeyDialog';
import { keyState, type KeyState } from './keys';
import { NewKeyDialog } from './NewKeyDialog';

const TONES = { active: 'good', expired: 'warn', revoked: 'rest' } as const;

/** Renders an optional time. */
const At = ({ us, none }: { us: number | null | undefined; none: string }): ReactElement =>
  us == null ? <Faint>{none}</Faint> : <Time us={us} />;

function Row({
  entry,
  state,
  mine,
  onRevoke,
}: {
  entry: AccessKey;
  state: KeyState;
  mine: boolean;
  onRevoke: () => void;
}): ReactElement {
  return (
    <TableRow data-testid="access-key">
      <TableCell sx={{ minWidth: 140, overflowWrap: 'anywhere' }}>
        <b>{entry.name}</b>
        {mine && <Faint> (you)</Faint>}
      </TableCell>
      <TableCell>{entry.role}</TableCell>
      <TableCell>
        <ToneChip tone={TONES[state]} label={state} />
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap', fontFamily: mono }}>
        {entry.prefix}
        <CopyButton text={entry.prefix} what="prefix" />
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <Time us={entry.created_at_us} /> <Faint>by {entry.created_by}</Faint>
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <At us={entry.last_used_at_us} none={mine ? 'now' : 'not yet'} />
      </TableCell>
      <TableCell sx={{ whiteSpace: 'nowrap' }}>
        <At us={entry.expires_at_us} none="never" />
      </TableCell>
      <TableCell align="right">
        {state === 'active' && (
          <ExplainedButton
            color="error"
            why={mine ? 'You are signed in with this key. Use another one to revoke it.' : null}
            onClick={onRevoke}
            aria-label={`Revoke ${entry.name}`}
          >
            Revoke
          </ExplainedButton>
        )}
      </TableCell>
    </TableRow>
  );
}

function KeyList({
  creating,
  onCreating,
}: {
  creating: boolean;
  onCreating: (creating: boolean) => void;
}): ReactElement {
  const queries = useQueryClient();
  const { data: who } = useMe();
  const nowUs = useNow(30_000) * 1000;
  const [all, setAll] = useState(false);
  const [made, setMade, closeMade] = useSubject<NewAccessKey>();
  const [revoked, revoke, closeRevoked] = useSubject<AccessKey>();
  const list = useQuery({
    queryKey: ['access-keys'],
    queryFn: async ({ signal }) => accessKeys(signal),
    refetchInterval: 30_000,
  });
  const changed = (): void => {
    void queries.invalidateQueries({ queryKey: ['access-keys'] });
  };
  const entries = (list.data ?? []).map((entry) => ({ entry, state: keyState(entry, nowUs) }));
  const shown = entries.filter(({ state }) => all || state === 'active');
  const past = entries.length - entries.filter(({ state }) => state === 'active').length;
  const isMine = (entry: AccessKey): boolean => who?.auth !== 'off' && who?.auth !== 'oidc' && who?.name === entry.name;
  return (
    <Section title="Access keys" note="newest first; the last use is updated every 30 s">
      {past > 0 && (
        <FormControlLabel
          sx={{ ml: -0.5, px: 2, pb: 1 }}
          control={
            <Switch
              size="small"
              checked={all}
              onChange={(_, checked) => {
                setAll(checked);
              }}
            />
          }
          label={<Typography variant="body2">Show {past} revoked or expired</Typography>}
        />
      )}
      <QueryResult list={list} what="the keys">
        {() =>
          shown.length === 0 ? (
            <EmptyState title="No active keys">Create one for each person and each monitoring system.</EmptyState>
          ) : (
            <SmallTable
              label="Access keys"
              head={['Name', 'Role', 'State', 'Prefix', 'Created', 'Last used', 'Expires', '']}
            >
              {shown.map(({ entry, state }) => (
                <Row
                  key={entry.key_id}
                  entry={entry}
                  state={state}
                  mine={state === 'active' && isMine(entry)}
                  onRevoke={() => {
                    revoke(entry);
                  }}
                />
              ))}
            </SmallTable>
          )
        }
      </QueryResult>
      {creating && (
        <CreateKeyDialog
          onClose={() => {
            onCreating(false);
          }}
          onCreated={(key) => {
            setMade(key);
            changed();
          }}
        />
      )}
      {made !== null && <NewKeyDialog made={made} onClose={closeMade} />}
      {revoked !== null && (
        <ReasonDialog
          title={`Revoke ${revoked.name}?`}
          verb="Revoke key"
          danger
          needs="admin"
          onClose={closeRevoked}
          onConfirm={async (reason) => {
            await revokeAccessKey(revoked.key_id, reason);
            changed();
          }}
        >
          <Typography variant="body2">
            Requests with this key are refused within 5 seconds, and browsers that signed in with it are signed out.
            This cannot be undone.
          </Typography>
        </ReasonDialog>
      )}
    </Section>
  );
}

/** Page for admins that lists, creates and revokes API keys. */
export default function KeysPage(): ReactElement {
  useTitle('Keys');
  const { data: who } = useMe();
  const mayNot = useDeniedReason('admin');
  const [creating, setCreating] = useState(false);
  return (
    <Page widest={1400}>
      <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
        <Typography variant="h1" sx={{ flex: 1 }}>
          Keys
        </Typography>
        {mayNot === null && (
          <Button
            variant="contained"
            startIcon={<Plus size={16} />}
            onClick={() => {
              setCreating(true);
            }}
          >
            Create key
          </Button>
        )}
      </Box>
      {who?.auth === 'off' && (
        <Typography variant="body2" color="text.secondary">
          Access control is off: no key is asked for. Set <code>TARSY_AUTH=on</code> to require them.
        </Typography>
      )}
      {mayNot === null ? (
        <KeyList creating={creating} onCreating={setCreating} />
      ) : (
        <EmptyState title="Permission denied">{mayNot} Ask an admin for a key, or to revoke one.</EmptyState>
      )}
    </Page>
  );
}
