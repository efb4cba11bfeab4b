import { Box, InputAdornment, TextField } from '@mui/material';
import { CARD, Faint, useFilterOptions } from '@tarsy/ui';
import { Search } from 'lucide-react';
import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactElement, type RefObject } from 'react';
import { useDebouncedInput } from '../app/useDebouncedInput';
import { completed, suggestions, withoutUnfinished, wordAt } from './completion';

interface Props {
  value: string;
  onChange: (text: string) => void;
  searchRef: RefObject<HTMLInputElement | null>;
}

/** Search field that completes named filters while the user types. */
export function SearchField({ value, onChange, searchRef }: Props): ReactElement {
  const [draft, setDraft] = useDebouncedInput(value, onChange, 300, withoutUnfinished);
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  const moveTo = useRef<number | null>(null);
  const { data } = useFilterOptions();
  const place = caret === null ? null : wordAt(draft, caret);
  const offered = place === null ? [] : suggestions(place.word, data);
  const short = draft.trim().length > 0 && draft.trim().length < 3;
  useLayoutEffect(() => {
    if (moveTo.current === null) return;
    searchRef.current?.setSelectionRange(moveTo.current, moveTo.current);
    moveTo.current = null;
  });
  const close = (): void => {
    setCaret(null);
    setChosen(-1);
  };
  const take = (suggestion: string): void => {
    if (place === null) return;
    const next = completed(draft, place, suggestion);
    setDraft(next.text);
    moveTo.current = next.caret;
    setChosen(-1);
    setCaret(suggestion.endsWith(':') ? next.caret : null);
  };
  const pressed = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    const suggestion = offered[chosen];
    if (offered.length > 0 && step !== 0) {
      setChosen((chosen + step + offered.length + (chosen < 0 && step < 0 ? 1 : 0)) % offered.length);
    } else if (suggestion !== undefined && (event.key === 'Enter' || event.key === 'Tab')) {
      take(suggestion);
    } else if (event.key === 'Escape') {
      if (offered.length > 0) close();
      else (event.target as HTMLElement).blur();
      event.stopPropagation();
    } else return;
    // Prevents the default also for Escape, at which the browser would clear the field.
    event.preventDefault();
  };
  return (
    <Box sx={{ position: 'relative', flex: 1, minWidth: { xs: 150, md: 220 } }}>
      <TextField
        fullWidth
        value={draft}
        inputRef={searchRef}
        type="search"
        placeholder="Search sessions  ( / )"
        onChange={(event) => {
          setDraft(event.target.value);
          setCaret(event.target.selectionStart);
          setChosen(-1);
        }}
        onKeyDown={pressed}
        onBlur={close}
        slotProps={{
          htmlInput: {
            'aria-label': 'Search sessions',
            'aria-describedby': short ? 'search-short' : undefined,
            role: 'combobox',
            autoComplete: 'off',
            spellCheck: false,
            'aria-expanded': offered.length > 0,
            'aria-controls': offered.length > 0 ? 'search-completion' : undefined,
            'aria-autocomplete': 'list',
            'aria-activedescendant': chosen >= 0 ? `search-completion-${String(chosen)}` : undefined,
          },
          input: {
            startAdornment: (
              <InputAdornment position="start">
                <Search size={15} />
              </InputAdornment>
            ),
            endAdornment: short ? (
              <Faint id="search-short" noWrap>
                At least 3 characters
              </Faint>
            ) : undefined,
          },
        }}
      />
      {offered.length > 0 && (
        <Box
          component="ul"
          role="listbox"
          id="search-completion"
          aria-label="Completions"
          sx={{
            position: 'absolute',
            zIndex: 1200,
            top: '100%',
            left: 0,
            minWidth: 'max(100%, 230px)',
            maxWidth: 'min(90vw, 460px)',
            m: 0,
            mt: 0.5,
            p: 0.5,
            listStyle: 'none',
            ...CARD,
            boxShadow: 3,
          }}
        >
          {offered.map((suggestion, at) => (
            // Needs no key handler, because the field keeps the focus.
            <Box
              component="li"
              role="option"
              key={suggestion}
              id={`search-completion-${String(at)}`}
              aria-selected={at === chosen}
              onMouseDown={(event) => {
                event.preventDefault();
              }}
              onClick={() => {
                take(suggestion);
              }}
              sx={{
                px: 1,
                py: 0.5,
                borderRadius: 0.75,
                fontSize: '0.8125rem',
                cursor: 'pointer',
                overflowWrap: 'anywhere',
                bgcolor: at === chosen ? 'action.selected' : 'transparent',
                '&:hover': { bgcolor: 'action.hover' },
              }}
            >
              {suggestion}
            </Box>
          ))}
        </Box>
      )}
    </Box>
  );
}
