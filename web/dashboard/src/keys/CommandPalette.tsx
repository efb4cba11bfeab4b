import { Autocomplete, Box, Dialog, TextField } from '@mui/material';
import { activeSessions, Faint, setPrefs, useNow, formatRelative } from '@tarsy/ui';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement } from 'react';
import { useNavigate } from 'react-router-dom';
import { PAGES } from '../app/pages';

interface Entry {
  group: string;
  label: string;
  note?: string;
  run: () => void;
}

const ID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Dialog to go to a page, to a running session, or to a session by its id, or to search. */
export default function CommandPalette({ onClose }: { onClose: () => void }): ReactElement {
  const navigate = useNavigate();
  const now = useNow(10_000);
  const active = useQuery({ queryKey: ['active'], queryFn: async ({ signal }) => activeSessions(signal) });
  const go = (path: string) => () => {
    void navigate(path);
  };
  const entries: Entry[] = [
    ...PAGES.map((page) => ({ group: 'Pages', label: page.label, note: `g ${page.key}`, run: go(page.path) })),
    { group: 'Pages', label: 'Failed sessions', run: go('/sessions?status=failed') },
    ...(['light', 'dark', 'system'] as const).map((theme) => ({
      group: 'Theme',
      label: `Theme: ${theme}`,
      run: () => {
        setPrefs({ theme });
      },
    })),
    {
      group: 'Time zone',
      label: 'Time zone: UTC',
      run: () => {
        setPrefs({ zone: 'utc' });
      },
    },
    {
      group: 'Time zone',
      label: 'Time zone: local',
      run: () => {
        setPrefs({ zone: 'local' });
      },
    },
    ...(active.data?.active_sessions ?? [])
      .slice(0, 20)
      .map((session) => ({
        group: 'Running sessions',
        label: session.alert_type,
        note: `${formatRelative(session.started_at_us, now)} ${session.session_id.slice(-6)}`,
        run: go(`/sessions/${session.session_id}`),
      })),
  ];
  const written = (text: string): Entry[] => {
    const wanted = text.trim();
    if (ID.test(wanted)) return [{ group: 'Session', label: `Open session ${wanted}`, run: go(`/sessions/${wanted}`) }];
    return wanted.length >= 3
      ? [
          {
            group: 'Search',
            label: `Search sessions for “${wanted}”`,
            run: go(`/sessions?search=${encodeURIComponent(wanted)}`),
          },
        ]
      : [];
  };
  return (
    <Dialog
      open
      onClose={onClose}
      slotProps={{ paper: { 'aria-label': 'Command palette' } }}
      sx={{ '& .MuiDialog-container': { alignItems: 'flex-start', pt: '12vh' } }}
    >
      <Autocomplete<Entry>
        options={entries}
        autoHighlight
        openOnFocus
        open
        blurOnSelect
        groupBy={(entry) => entry.group}
        getOptionLabel={(entry) => entry.label}
        getOptionKey={(entry) => `${entry.group} ${entry.label} ${entry.note ?? ''}`}
        filterOptions={(options, { inputValue }) => [
          ...options.filter((entry) =>
            `${entry.label} ${entry.note ?? ''}`.toLowerCase().includes(inputValue.trim().toLowerCase()),
          ),
          ...written(inputValue),
        ]}
        onChange={(_, entry) => {
          if (entry !== null) {
            onClose();
            entry.run();
          }
        }}
        onClose={(_, reason) => {
          if (reason === 'escape') onClose();
        }}
        renderGroup={({ key, group, children }) => (
          <li key={key} role="presentation">
            <Faint component="div" aria-hidden sx={{ px: 2, pt: 1, fontWeight: 600 }}>
              {group}
            </Faint>
            <Box component="ul" role="group" aria-label={group} sx={{ m: 0, p: 0 }}>
              {children}
            </Box>
          </li>
        )}
        renderOption={({ key, ...props }, entry) => (
          <Box component="li" key={key} {...props} sx={{ display: 'flex', gap: 1, fontSize: '0.875rem' }}>
            <span style={{ flex: 1 }}>{entry.label}</span>
            <Faint>{entry.note}</Faint>
          </Box>
        )}
        renderInput={(params) => (
          <TextField
            {...params}
            autoFocus
            label="Search pages and sessions, or paste a session ID"
            sx={{ m: 2, mb: 0, width: 'calc(100% - 32px)' }}
          />
        )}
        slotProps={{
          popper: {
            disablePortal: true,
            sx: { position: 'static !important', transform: 'none !important', width: '100% !important' },
          },
          paper: { elevation: 0 },
          listbox: { sx: { maxHeight: '45vh' } },
        }}
      />
    </Dialog>
  );
}
