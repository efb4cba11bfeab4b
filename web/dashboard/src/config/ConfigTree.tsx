import { Box, Tab, Tabs, TextField, Button } from '@mui/material';
import { CARD, Code, EmptyState, onText } from '@tarsy/ui';
import { useCallback, useMemo, type ReactElement } from 'react';
import { stringify } from 'yaml';
import { useAddress } from '../app/useAddress';
import { useDebouncedInput } from '../app/useDebouncedInput';
import { download } from '../sessions/bulk';

/** Converts each member of an object to text. Any other value is one section. */
export function sections(value: unknown): [name: string, text: string][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [['configuration', stringify(value)]];
  return Object.entries(value).map(([name, part]) => [name, stringify({ [name]: part as unknown })]);
}

/** Title of a section, e.g. `MCP servers` for `mcp_servers`. */
const titleOf = (name: string): string =>
  name.replace('_', ' ').replace(/^(?:mcp|llm)\b/, (word) => word.toUpperCase());

/** Searchable YAML view of the configuration, one tab per section. */
export default function ConfigTree({ value }: { value: unknown }): ReactElement {
  const [params, change] = useAddress();
  const parts = useMemo(() => sections(value), [value]);
  const needle = params.get('find') ?? '';
  const shown = parts.filter(([, text]) => needle === '' || text.toLowerCase().includes(needle.toLowerCase()));
  const wanted = params.get('section');
  const current = shown.find(([name]) => name === wanted) ?? shown[0];
  const set = useCallback(
    (name: string, to: string): void => {
      change({ [name]: to === '' ? null : to });
    },
    [change],
  );
  const search = useCallback(
    (text: string) => {
      set('find', text);
    },
    [set],
  );
  const [draft, setDraft] = useDebouncedInput(needle, search, 150);
  return (
    <Box sx={{ ...CARD }}>
      <Box sx={{ display: 'flex', gap: 1, p: 1.5 }}>
        <TextField
          type="search"
          value={draft}
          placeholder="Search the configuration"
          onChange={onText(setDraft)}
          slotProps={{ htmlInput: { 'aria-label': 'Search the configuration' } }}
          sx={{ width: 320 }}
        />
        <Box sx={{ flex: 1 }} />
        <Button
          variant="outlined"
          onClick={() => {
            download(new Blob([stringify(value)], { type: 'application/yaml' }), 'tarsy-config.yaml');
          }}
        >
          Export YAML
        </Button>
      </Box>
      {current === undefined ? (
        <EmptyState title="No results" />
      ) : (
        <>
          <Tabs
            value={current[0]}
            onChange={(_, name: string) => {
              set('section', name);
            }}
            variant="scrollable"
            scrollButtons={false}
            aria-label="Sections"
            sx={{ borderBottom: 1, borderColor: 'divider' }}
          >
            {shown.map(([name]) => (
              <Tab key={name} value={name} label={titleOf(name)} id={`section-${name}`} aria-controls="section-panel" />
            ))}
          </Tabs>
          <Box role="tabpanel" id="section-panel" aria-labelledby={`section-${current[0]}`} sx={{ p: 2 }}>
            <Code
              text={current[1]}
              what={current[0]}
              needle={needle}
              lines={200}
              height="max(320px, calc(100dvh - 290px))"
            />
          </Box>
        </>
      )}
    </Box>
  );
}
