/** Height of the editor and of its placeholder, so that content below does not move when the code has loaded. */
export const EDITOR_HEIGHT = 'clamp(260px, 52vh, 620px)';
