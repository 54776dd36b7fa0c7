/** A tag of content that a reader opens by its summary, or the Markdown between such tags. */
export type DetailsToken =
  | { type: 'open'; summary: string; isOpen: boolean }
  | { type: 'close' }
  | { type: 'content'; markdown: string }

const TAG =
  /<details(\s+open(?:\s*=\s*"[^"<>]*")?)?\s*>\s*<summary>([\s\S]*?)<\/summary\s*>|<\/details\s*>/gi
const HALF_TAG =
  /<(?:\/?[a-z]*|\/?details\b[^>]*|details\b[^>]*>\s*(?:<(?:s[a-z]*|summary>(?:(?!<\/summary)[\s\S])*)?)?)$/i

/**
 * Reads a block of HTML into the tags of details and what stands between them. Details without a summary are no
 * such tag: an app would show nothing to open them by.
 *
 * @returns Nothing where it has none.
 */
export function readDetails(html: string): readonly DetailsToken[] {
  const tokens: DetailsToken[] = []
  let end = 0
  for (const tag of html.matchAll(TAG)) {
    addContent(html.slice(end, tag.index))
    const [whole, open, summary] = tag
    tokens.push(
      summary === undefined
        ? { type: 'close' }
        : { type: 'open', summary: toLine(summary), isOpen: open !== undefined },
    )
    end = tag.index + whole.length
  }
  if (tokens.length === 0) return tokens
  addContent(html.slice(end))
  const isWithoutSummary = tokens.some(
    (token) => token.type === 'content' && /^<details\b/i.test(token.markdown),
  )
  return isWithoutSummary ? [] : tokens

  function addContent(markdown: string): void {
    if (markdown.trim() !== '') tokens.push({ type: 'content', markdown: markdown.trim() })
  }
}

/** Checks whether a block of HTML begins details. */
export function opensDetails(html: string): boolean {
  return readDetails(html).some(({ type }) => type === 'open')
}

/** Leaves out what may become a tag of details at the end of a block of HTML that grows. */
export function withoutHalfDetails(html: string): string {
  return html.replace(HALF_TAG, '')
}

function toLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
