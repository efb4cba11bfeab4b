/** One calm, dense look in two schemes. Colours are chosen for AA contrast on their backgrounds. */
import { createTheme } from '@mui/material/styles';

const sans = 'Inter, "Segoe UI", system-ui, -apple-system, Roboto, "Noto Sans", "DejaVu Sans", sans-serif';
/** For ids, JSON, tool output. */
export const mono = 'ui-monospace, "SF Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace';

/** Border for surfaces that float over a dark page, or that hardly differ from the page. */
const edge = { border: '1px solid var(--mui-palette-divider)' };

export const theme = createTheme({
  cssVariables: { colorSchemeSelector: 'data-scheme' },
  colorSchemes: {
    light: {
      palette: {
        primary: { main: '#1d5fbf' },
        success: { main: '#1a7340' },
        warning: { main: '#8a5300' },
        error: { main: '#b3261e' },
        info: { main: '#1d5fbf' },
        background: { default: '#f6f7f9', paper: '#ffffff' },
        text: { primary: '#17202c', secondary: '#515c6b' },
        divider: '#dfe3e8',
        // Faint, so that chips on it stay readable.
        action: { selected: 'rgba(29, 95, 191, 0.06)' },
      },
    },
    dark: {
      palette: {
        primary: { main: '#86b4f5' },
        success: { main: '#6fcf97' },
        warning: { main: '#f0b95b' },
        error: { main: '#f28b82' },
        info: { main: '#86b4f5' },
        background: { default: '#0f141b', paper: '#161d26' },
        text: { primary: '#e4e9ef', secondary: '#b3bdc9' },
        divider: '#29333f',
        action: { active: '#b3bdc9', selected: 'rgba(134, 180, 245, 0.1)' },
      },
    },
  },
  shape: { borderRadius: 6 },
  spacing: 8,
  typography: {
    fontFamily: sans,
    fontSize: 13,
    h1: { fontSize: '1.25rem', fontWeight: 650, lineHeight: 1.3 },
    h2: { fontSize: '0.95rem', fontWeight: 650, lineHeight: 1.4 },
    h3: { fontSize: '0.875rem', fontWeight: 600 },
    body1: { fontSize: '0.875rem' },
    body2: { fontSize: '0.8125rem' },
    caption: { fontSize: '0.75rem' },
    button: { textTransform: 'none', fontWeight: 550 },
  },
  components: {
    MuiButtonBase: { defaultProps: { disableRipple: true } },
    // WCAG 2.2, 2.5.8: a touch target measures at least 24 by 24 pixels.
    MuiButton: { defaultProps: { size: 'small', disableElevation: true }, styleOverrides: { root: { minHeight: 24 } } },
    MuiIconButton: { defaultProps: { size: 'small' }, styleOverrides: { root: { minWidth: 24, minHeight: 24 } } },
    MuiTextField: { defaultProps: { size: 'small' } },
    MuiSelect: { defaultProps: { size: 'small' } },
    MuiPaper: { defaultProps: { elevation: 0 }, styleOverrides: { root: { backgroundImage: 'none' } } },
    MuiTooltip: { defaultProps: { enterDelay: 350 } },
    MuiChip: { defaultProps: { size: 'small' }, styleOverrides: { root: { borderRadius: 5, fontWeight: 500 } } },
    MuiTab: { styleOverrides: { root: { minWidth: 0, minHeight: 38, padding: '6px 12px' } } },
    MuiToggleButton: { styleOverrides: { root: { color: 'var(--mui-palette-text-secondary)' } } },
    MuiTabs: { styleOverrides: { root: { minHeight: 38 } } },
    MuiDialog: { defaultProps: { fullWidth: true, maxWidth: 'sm' }, styleOverrides: { paper: edge } },
    MuiDialogActions: { styleOverrides: { root: { padding: '8px 24px 20px' } } },
    // Menus are rendered outside of the page's landmarks, so each is a landmark itself.
    MuiMenu: { defaultProps: { role: 'region', 'aria-label': 'Menu' } },
    MuiPopover: { styleOverrides: { paper: edge } },
    MuiAlert: { styleOverrides: { standardInfo: edge } },
  },
});
