/** Width from which a session's record stands next to its answer: the theme's breakpoint `md`. */
const WIDE = '(min-width: 900px)';

/**
 * Whether the record is in view when a session is opened. On a phone it stands far below the answer, and loading it
 * would delay the answer. An address with a query string points into the record, so then it is in view.
 */
export const isRecordInView = (): boolean => location.search !== '' || matchMedia(WIDE).matches;
