/** Checks whether there is room for a chat beside the list; styles/shell.css has the same width. */
export function isWide(): boolean {
  return matchMedia('(min-width: 900px)').matches
}
