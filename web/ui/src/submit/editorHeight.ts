/** Height of the editor, also while its code is on the way: what stands below it keeps its place. */
export const EDITOR_HEIGHT = 'clamp(260px, 52vh, 620px)';
