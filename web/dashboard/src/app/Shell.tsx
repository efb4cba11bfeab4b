import { Box, Button, Link as MuiLink, Tooltip, Typography } from '@mui/material';
import { styled } from '@mui/material/styles';
import {
  AccessGate,
  APP,
  LiveChip,
  Loading,
  preloadable,
  Settings,
  setPrefs,
  TipButton,
  toneColor,
  toneSurface,
  useMe,
  usePrefs,
} from '@tarsy/ui';
import { useQueryClient } from '@tanstack/react-query';
import { Command, Keyboard } from 'lucide-react';
import { Suspense, useEffect, useRef, useState, type ReactElement } from 'react';
import { NavLink, Outlet, useLocation, useNavigate } from 'react-router-dom';
import { useApprovalEvents, useOpenApprovals } from '../approvals/useApprovals';
import { useShortcuts } from '../keys/ShortcutsProvider';
import { Banner, useHealth } from './Banner';
import { PAGES } from './pages';
import { PageBoundary } from './PageBoundary';
import { useIsWide } from './useIsWide';

// Opened by a key or a button, if at all. Preloaded, so that text typed right after that is not lost.
const palettePart = preloadable(async () => import('../keys/CommandPalette'));
const helpPart = preloadable(async () => import('../keys/HelpDialog'));

/** Delay of the preload after the shell, in milliseconds, so that the page's own requests go first. */
const PRELOAD_DELAY_MS = 500;

/** Number of approvals that wait; renders nothing if there is none. */
function Waiting(): ReactElement | null {
  useApprovalEvents();
  const { data } = useOpenApprovals();
  const number = data?.approvals.length ?? 0;
  if (number === 0) return null;
  return (
    <Box
      component="span"
      data-testid="approvals-count"
      aria-label={`${String(number)} waiting`}
      sx={{
        ml: 0.75,
        px: 0.75,
        minWidth: 20,
        borderRadius: 5,
        fontSize: '0.75rem',
        lineHeight: '18px',
        fontWeight: 650,
        textAlign: 'center',
        color: toneColor.warn,
        bgcolor: toneSurface('warn', 18),
      }}
    >
      {number}
      {data?.next == null ? '' : '+'}
    </Box>
  );
}

/**
 * Links to the pages, all styled here. Using the library's buttons instead would add a tenth to the first rendering on
 * a phone.
 */
const Pages = styled('nav')(({ theme }) => ({
  display: 'flex',
  gap: 2,
  minWidth: 0,
  overflowX: 'auto',
  '& a': {
    ...theme.typography.button,
    fontSize: theme.typography.pxToRem(13),
    display: 'inline-flex',
    alignItems: 'center',
    flexShrink: 0,
    padding: '4px 10px',
    borderRadius: theme.shape.borderRadius,
    color: 'var(--mui-palette-text-secondary)',
    textDecoration: 'none',
    whiteSpace: 'nowrap',
  },
  '& a:hover': { backgroundColor: 'var(--mui-palette-action-hover)' },
  '& a.active': { color: 'var(--mui-palette-text-primary)', backgroundColor: toneSurface('run', 14) },
}));

function Navigation(): ReactElement {
  const isAdmin = useMe().data?.role === 'admin';
  const hasKnowledge = useHealth().data?.services?.knowledge?.enabled === true;
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // Scrolls to the current page's link. On a phone not all links fit, and a count that appears later takes more room.
  useEffect(() => {
    const bar = nav.current;
    if (bar === null) return undefined;
    const sizes = new ResizeObserver(() => {
      const here = bar.querySelector('.active');
      if (here === null) return;
      const [around, at] = [bar.getBoundingClientRect(), here.getBoundingClientRect()];
      bar.scrollLeft += at.left + at.width / 2 - around.left - around.width / 2;
    });
    // The observer reports each element at once, and again when its size changes.
    for (const one of [bar, ...bar.children]) sizes.observe(one);
    return () => {
      sizes.disconnect();
    };
  }, [pathname, isAdmin, hasKnowledge]);
  return (
    <Pages ref={nav} aria-label="Pages">
      {PAGES.filter((page) => (!('admin' in page) || isAdmin) && (!('knowledge' in page) || hasKnowledge)).map(
        (page) => (
          <NavLink key={page.path} to={page.path}>
            {page.label}
            {page.path === '/approvals' && <Waiting />}
          </NavLink>
        ),
      )}
    </Pages>
  );
}

/** App shell: navigation, banners, live chip, shortcuts. */
export function Shell(): ReactElement {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const queries = useQueryClient();
  const { theme } = usePrefs();
  const isWide = useIsWide();
  const [palette, setPalette] = useState(false);
  const [help, setHelp] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      void palettePart.expect();
      void helpPart.expect();
    }, PRELOAD_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  const showPalette = (): void => {
    setPalette(true);
  };
  const showHelp = (): void => {
    setHelp(true);
  };
  const goTo = (path: string) => (): void => {
    void navigate(path);
  };
  const switchTheme = (): void => {
    setPrefs({ theme: theme === 'system' ? 'light' : theme === 'light' ? 'dark' : 'system' });
  };
  const refresh = (): void => {
    void queries.invalidateQueries();
  };
  useShortcuts('Everywhere', [
    { keys: '?', does: 'show keyboard shortcuts', run: showHelp },
    { keys: 'mod+k', does: 'open the command palette', run: showPalette, whileTyping: true },
    ...PAGES.map((page) => ({ keys: `g ${page.key}`, does: `go to ${page.label}`, run: goTo(page.path) })),
    { keys: 't', does: 'switch theme', run: switchTheme },
    { keys: 'r', does: 'refresh', run: refresh },
  ]);
  return (
    <Box sx={{ minHeight: '100dvh', display: 'flex', flexDirection: 'column' }}>
      <MuiLink
        href="#main"
        sx={{
          position: 'absolute',
          left: -9999,
          zIndex: 2000,
          '&:focus': { left: 8, top: 8, bgcolor: 'background.paper', p: 1 },
        }}
      >
        Skip to content
      </MuiLink>
      <Box
        component="header"
        sx={{
          position: 'sticky',
          top: 0,
          zIndex: 1100,
          bgcolor: 'background.paper',
          borderBottom: 1,
          borderColor: 'divider',
          display: 'flex',
          alignItems: 'center',
          gap: { xs: 0.5, md: 1.5 },
          px: { xs: 1, md: 2 },
          height: 46,
        }}
      >
        <Box sx={{ display: { xs: 'none', sm: 'flex' }, alignItems: 'center', gap: 1 }}>
          <img src={`${APP}icon.svg`} width={22} height={22} alt="" />
          <Typography component="span" sx={{ fontWeight: 700, letterSpacing: 0.2 }}>
            Tarsy
          </Typography>
        </Box>
        <Navigation />
        <Box sx={{ flex: 1 }} />
        {isWide && (
          <Tooltip describeChild title="Command palette (Ctrl+K)">
            <Button
              color="inherit"
              startIcon={<Command size={14} />}
              onClick={showPalette}
              sx={{ color: 'text.secondary', border: 1, borderColor: 'divider' }}
            >
              Go to…
            </Button>
          </Tooltip>
        )}
        <LiveChip />
        {isWide && (
          <TipButton tip="Keyboard shortcuts (?)" label="Keyboard shortcuts" onClick={showHelp}>
            <Keyboard size={18} />
          </TipButton>
        )}
        <Settings />
      </Box>
      <Banner />
      <Box
        component="main"
        id="main"
        tabIndex={-1}
        sx={{ flex: 1, minHeight: 0, outline: 'none', display: 'flex', flexDirection: 'column' }}
      >
        <PageBoundary path={pathname}>
          <AccessGate>
            <Suspense fallback={<Loading what="the page" />}>
              <Outlet />
            </Suspense>
          </AccessGate>
        </PageBoundary>
      </Box>
      <Suspense fallback={null}>
        {palette && (
          <palettePart.Part
            onClose={() => {
              setPalette(false);
            }}
          />
        )}
        {help && (
          <helpPart.Part
            onClose={() => {
              setHelp(false);
            }}
          />
        )}
      </Suspense>
    </Box>
  );
}
