import { useMediaQuery } from '@mui/material';
import type { Theme } from '@mui/material/styles';

/**
 * Whether there is room next to a page: the theme's breakpoint `md`. Parts without room should not be rendered at all,
 * because hiding them by a style costs a phone the same time.
 */
export const useIsWide = (): boolean => useMediaQuery((theme: Theme) => theme.breakpoints.up('md'));
