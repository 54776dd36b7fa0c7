const FENCE_CHARS_MIN = 3

/**
 * Writes a file as the model reads it: its heading, and the text between fences that are longer than any in it, so
 * that nothing in the text can seem to stand outside of it.
 */
export function quoteFile(heading: string, text: string): string {
  const longest = Math.max(0, ...(text.match(/`{3,}/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(Math.max(FENCE_CHARS_MIN, longest + 1))
  return [heading, fence, text, fence].join('\n')
}
