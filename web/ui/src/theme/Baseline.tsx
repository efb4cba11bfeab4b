import { GlobalStyles } from '@mui/material';
import type { Theme } from '@mui/material/styles';
import type { ReactElement } from 'react';
import { mono } from './theme';

/**
 * Global styles of the page. They replace the component library's baseline, which styles `::before` and `::after` of
 * every element. With that, each element costs as much as three whenever rows come into view.
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
    // An element inside it is meant to have the focus. The dialog itself has it only until Tab is pressed.
    '[role=dialog]:focus-visible, [role=presentation]:focus-visible': { outline: 'none' },
    '@media (prefers-reduced-motion: reduce)': {
      // No transitions, rather than short ones. A duration alone would turn every change of a property into a
      // transition, and scripts would read an element's old height until the next frame.
      '*': {
        animationDuration: '0.01ms !important',
        animationIterationCount: '1 !important',
        transition: 'none !important',
        scrollBehavior: 'auto !important',
      },
    },
  }) as const;

export const Baseline = (): ReactElement => <GlobalStyles styles={rules} />;
