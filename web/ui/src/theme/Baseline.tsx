import { GlobalStyles } from '@mui/material';
import type { Theme } from '@mui/material/styles';
import type { ReactElement } from 'react';
import { mono } from './theme';

/**
 * What holds on the whole page. Not the component library's own baseline: it styles `::before` and `::after` of every
 * element, so that each is worth three whenever rows come into view.
 */
const rules = (theme: Theme) =>
  ({
    html: { WebkitFontSmoothing: 'antialiased', MozOsxFontSmoothing: 'grayscale', WebkitTextSizeAdjust: '100%' },
    '*': { boxSizing: 'border-box' },
    'strong, b': { fontWeight: 700 },
    body: {
      margin: 0,
      ...theme.typography.body1,
      color: 'var(--mui-palette-text-primary)',
      backgroundColor: 'var(--mui-palette-background-default)',
      scrollbarGutter: 'stable',
    },
    'button, input, select, textarea': { fontFamily: 'inherit' },
    'code, pre': { fontFamily: mono },
    '@keyframes turn': { to: { transform: 'rotate(360deg)' } },
    '@keyframes breathe': { '50%': { opacity: 0.45 } },
    ':focus-visible': { outline: '2px solid var(--mui-palette-primary-main)', outlineOffset: 1 },
    // What is inside it is what has the focus; the dialog itself only until Tab is pressed.
    '[role=dialog]:focus-visible, [role=presentation]:focus-visible': { outline: 'none' },
    '@media (prefers-reduced-motion: reduce)': {
      // No transitions, rather than short ones: a duration alone would make one of every change of every property,
      // and until its next frame an element keeps its old height, whoever asks.
      '*': {
        animationDuration: '0.01ms !important',
        animationIterationCount: '1 !important',
        transition: 'none !important',
        scrollBehavior: 'auto !important',
      },
    },
  }) as const;

export const Baseline = (): ReactElement => <GlobalStyles styles={rules} />;
