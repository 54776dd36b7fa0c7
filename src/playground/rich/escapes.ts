/**
 * The Markdown parser hands out texts without their escapes, and `==` and `||` are found in those
 * texts afterwards. So every other way to write `=` or `|` is replaced before, each form by
 * a noncharacter of its own, which no text may hold.
 */
const FORMS = [
  ['\\=', '='],
  ['\\|', '|'],
  ['&#61;', '='],
  ['&#x3D;', '='],
  ['&equals;', '='],
  ['&#124;', '|'],
  ['&#x7C;', '|'],
  ['&vert;', '|'],
  ['&VerticalLine;', '|'],
] as const

const FIRST = 0xfdd0
const HIDDEN = /[\u{fdd0}-\u{fdd8}]/gu

/** Hides escaped delimiters. An escaped backslash escapes nothing. */
export function hideEscapes(markdown: string): string {
  return markdown.replace(/\\[\s\S]|&(?:#?\w+);/g, (found) => {
    const index = FORMS.findIndex(([form]) => form.toLowerCase() === found.toLowerCase())
    return index < 0 ? found : String.fromCharCode(FIRST + index)
  })
}

/** Shows the character that was meant, for text. */
export function showEscapes(text: string): string {
  return text.replace(HIDDEN, (found) => formOf(found)[1])
}

/** Restores what was written, for code, formulas and tags. In a table the cell has taken the backslash. */
export function restoreEscapes(text: string, isInTable = false): string {
  return text.replace(HIDDEN, (found) => {
    const [form, meant] = formOf(found)
    return isInTable && form === '\\|' ? meant : form
  })
}

function formOf(found: string) {
  return FORMS[found.charCodeAt(0) - FIRST] ?? FORMS[0]
}
