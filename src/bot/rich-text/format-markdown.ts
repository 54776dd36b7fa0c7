import { collectDefinitions, toDefinitions } from './definitions.ts'
import { formatBlocks } from './format-blocks.ts'
import type { FormattedText } from './formatted-text.ts'
import { parseMarkdown } from './parse-markdown.ts'

/**
 * Turns Telegram's Markdown into a text with entities, for a server that takes no rich messages: headings are
 * bold, items have bullets, tables and formulas stand as code.
 */
export function formatMarkdown(markdown: string): FormattedText {
  const { children } = parseMarkdown(markdown, { texSigns: false })
  return formatBlocks(children, toDefinitions(collectDefinitions(children)))
}

/** The text of Markdown as a reader sees it, without any formatting. */
export function toPlainText(markdown: string): string {
  return formatMarkdown(markdown).text
}
