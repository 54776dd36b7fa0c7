/** HTML that is safe to send: only {@link html} writes it, and escapes all values. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Part = Html | string | number | bigint | false | null | undefined | readonly Part[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/**
 * Writes HTML: escapes texts, joins lists, and omits false, null and undefined.
 *
 * An attribute's value must be in double quotes, which the escapes cover.
 */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  // Removes the indentation of the templates, which the browser does not need.
  const written = texts.map((text) => text.replace(/\n\s*/g, '\n'))
  return new Html(written.reduce((before, text, index) => before + write(parts[index - 1]) + text))
}

function write(part: Part): string {
  if (part instanceof Html) return part.text
  if (part === false || part === null || part === undefined) return ''
  if (typeof part === 'object') return part.map(write).join('')
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
