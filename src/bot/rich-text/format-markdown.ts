import { formatBlocks } from './entities/format-blocks.ts'
import type { FormattedText } from './entities/formatted-text.ts'
import { collectDefinitions } from './parse/definitions.ts'
import { parseMarkdown } from './parse/parse-markdown.ts'

/**
 * Turns Telegram's Markdown into a text with entities, for a server that takes no rich messages:
 * headings become bold, tables and formulas code, items get bullets.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const { children } = parseMarkdown(markdown, { texSigns: false })
  return formatBlocks(children, collectDefinitions(children))
}
