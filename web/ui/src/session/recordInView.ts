/** Width from which a session's record is in view beside its answer, pixels: the theme's breakpoint `md`. */
const WIDE = '(min-width: 900px)';

/**
 * Whether somebody who opens a session sees its record at once. On a phone it stands far below the answer, and what is
 * read for it would come before the answer; a link that points into the record means it.
 */
export const isRecordInView = (): boolean => location.search !== '' || matchMedia(WIDE).matches;
