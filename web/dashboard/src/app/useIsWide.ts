import { useMediaQuery } from '@mui/material';
import type { Theme } from '@mui/material/styles';

/**
 * Whether there is room beside a page: the theme's breakpoint `md`. What has none is not rendered; hidden by a style it
 * would cost a phone's time all the same.
 */
export const useIsWide = (): boolean => useMediaQuery((theme: Theme) => theme.breakpoints.up('md'));
