import type { RichBlock } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import type { RichOptions } from '../context.ts'
import { checkedBlocks } from '../limits.ts'
import { htmlInvalid, readTree } from './read-tree.ts'
import { isKnown, toBlocks } from './to-blocks.ts'

/**
 * Reads rich HTML: the tags of rich Markdown, with lists, tables, code and formulas.
 *
 * @throws {ApiError} `RICH_MESSAGE_…` for what is empty, broken or beyond a limit.
 */
export function parseRichHtml(
  html: string,
  options: Pick<RichOptions, 'skipEntityDetection' | 'isDraft'>,
): RichBlock[] {
  if (!html.isWellFormed()) throw badRequest('Strings must be encoded in UTF-8')
  return checkedBlocks(() => {
    const blocks = toBlocks(readTree(html, isKnown), options)
    if (blocks.length === 0) throw htmlInvalid()
    return blocks
  }, options)
}
