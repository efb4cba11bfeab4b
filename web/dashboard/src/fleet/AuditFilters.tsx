import { Box, Button, TextField } from '@mui/material';
import { ExplainedButton, type AuditEntry } from '@tarsy/ui';
import { useState, type ReactElement } from 'react';
import { NO_FILTERS, hasFilters, distinctValues, type AuditFilterValues } from './audit';

const FIELDS = [
  ['actor', 'Actor', ''],
  ['action', 'Action', 'session.cancel'],
  ['subject', 'Subject', 'session ID, queue'],
] as const;

interface Props {
  words: AuditFilterValues;
  entries: readonly AuditEntry[];
  onWords: (words: AuditFilterValues) => void;
}

/** Filters of the audit log by whole values, with suggestions from loaded entries. */
export function AuditFilters({ words, entries, onWords }: Props): ReactElement {
  const [draft, setDraft] = useState(words);
  const [asked, setAsked] = useState(words);
  // The address is authoritative, also when a button elsewhere has changed it.
  if (FIELDS.some(([name]) => asked[name] !== words[name])) {
    setAsked(words);
    setDraft(words);
  }
  return (
    <Box
      component="form"
      role="search"
      aria-label="Audit log"
      onSubmit={(event) => {
        event.preventDefault();
        onWords(draft);
      }}
      sx={{ display: 'flex', gap: 1.5, flexWrap: 'wrap', alignItems: 'center', px: 2, pt: 0.5, pb: 1.5 }}
    >
      {FIELDS.map(([name, label, example]) => (
        <Box key={name} sx={{ flex: { xs: '1 1 100%', sm: '0 1 250px' }, minWidth: 150 }}>
          <TextField
            fullWidth
            label={label}
            value={draft[name]}
            placeholder={example}
            slotProps={{
              inputLabel: { shrink: true },
              htmlInput: { list: `audit-${name}`, autoComplete: 'off', spellCheck: false },
            }}
            onChange={(event) => {
              setDraft({ ...draft, [name]: event.target.value });
            }}
          />
          <datalist id={`audit-${name}`}>
            {distinctValues(entries, name).map((word) => (
              <option key={word} value={word} />
            ))}
          </datalist>
        </Box>
      ))}
      <Button type="submit" variant="outlined">
        Filter
      </Button>
      <ExplainedButton
        why={hasFilters(words) ? null : 'No filters set.'}
        onClick={() => {
          onWords(NO_FILTERS);
        }}
      >
        Clear filters
      </ExplainedButton>
    </Box>
  );
}
