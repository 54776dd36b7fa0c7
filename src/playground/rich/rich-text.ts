import type { RichText } from 'grammy/types'

/** A formatted stretch, as opposed to plain characters and lists of stretches. */
type Run = Exclude<RichText, string | RichText[]>

/** Puts stretches together the way answers show them: plain neighbours merged, no list of one. */
export function joinText(parts: readonly RichText[]): RichText {
  const joined: RichText[] = []
  for (const part of parts.flatMap((text) => (Array.isArray(text) ? text : [text]))) {
    const last = joined.at(-1)
    if (part === '') continue
    if (typeof part === 'string' && typeof last === 'string')
      joined[joined.length - 1] = last + part
    else joined.push(part)
  }
  const [only = ''] = joined
  return joined.length <= 1 ? only : joined
}

/** The text as a reader sees it; formulas show their source, anchors nothing. */
export function visibleText(text: RichText): string {
  if (typeof text === 'string') return text
  if (Array.isArray(text)) return text.map(visibleText).join('')
  return visibleText(insideOf(text))
}

/** The text that a formatted stretch is laid over. */
export function insideOf(run: Run): RichText {
  switch (run.type) {
    case 'custom_emoji':
      return run.alternative_text
    case 'mathematical_expression':
      return run.expression
    case 'anchor':
      return ''
    case 'button':
      return run.button.text
    default:
      return run.text
  }
}

/** Cuts the white space at both ends, which no client shows. */
export function trimText(text: RichText): RichText {
  const parts = Array.isArray(text) ? [...text] : [text]
  const first = parts[0]
  if (typeof first === 'string') parts[0] = first.trimStart()
  const last = parts.at(-1)
  if (typeof last === 'string') parts[parts.length - 1] = last.trimEnd()
  return joinText(parts)
}
