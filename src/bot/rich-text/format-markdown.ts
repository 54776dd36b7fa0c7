import { formatBlocks } from './entities/format-blocks.ts'
import type { FormattedText } from './entities/formatted-text.ts'
import { collectDefinitions } from './parse/definitions.ts'
import { parseMarkdown } from './parse/parse-markdown.ts'
import { collectSigns, needsOf, type RichNeed } from './write/rich-needs.ts'

/**
 * Turns Telegram's Markdown into a text with entities, which every app shows: headings become bold, tables stand in
 * columns, formulas as their source, items get bullets.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const { children } = parseMarkdown(markdown, { isFromModel: false })
  return formatBlocks(children, collectDefinitions(children))
}

/** Finds what a text in Telegram's Markdown has to be a rich message for. */
export function findNeeds(markdown: string): RichNeed[] {
  return needsOf(collectSigns(parseMarkdown(markdown, { isFromModel: false })))
}
