import type { RichBlock } from 'grammy/types'
import type { Definition, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from '../../math-syntax.ts'
import { badRequest } from '../wire/envelope.ts'
import { toBlocks } from './blocks.ts'
import type { RichOptions } from './context.ts'
import { hideEscapes } from './escapes.ts'
import { checkRich } from './limits.ts'

export interface ParseOptions extends RichOptions {
  /** Drafts may show that the bot thinks. */
  isDraft: boolean
}

/**
 * Reads rich Markdown: GitHub's, with formulas, `==marks==`, `||spoilers||` and Telegram's HTML tags.
 *
 * Telegram's own parser is closed, so this is an approximation: strict where a message would be
 * refused, lenient with emphasis, fences and tables that are not finished.
 *
 * @throws {ApiError} `RICH_MESSAGE_…` for what is empty, broken or beyond a limit.
 */
export function parseRichMarkdown(markdown: string, options: ParseOptions): RichBlock[] {
  if (!markdown.isWellFormed()) throw badRequest('Strings must be encoded in UTF-8')
  if (markdown.trim() === '') throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
  const source = hideEscapes(markdown)
  try {
    const nodes = parse(source)
    const blocks = toBlocks(nodes, {
      ...options,
      source,
      definitions: definitionsIn(nodes),
      parsePiece: (piece) => {
        const hidden = hideEscapes(piece)
        return { nodes: parse(hidden, ['htmlFlow']), source: hidden }
      },
    })
    if (blocks.length === 0) throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
    checkRich(blocks, options)
    return blocks
  } catch (error) {
    // The stack ends long after the limit does.
    if (error instanceof RangeError) throw badRequest('RICH_MESSAGE_DEPTH_INVALID')
    throw error
  }
}

function parse(source: string, disabled: string[] = []): RootContent[] {
  const { children } = fromMarkdown(source, {
    extensions: [gfm(), math(), { disable: { null: disabled } }],
    mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown()],
  })
  return children
}

/** Where reference links lead; the first definition of a name counts. */
function definitionsIn(nodes: readonly RootContent[]): Map<string, Definition> {
  const definitions = new Map<string, Definition>()
  const rest: RootContent[] = [...nodes].reverse()
  for (let node = rest.pop(); node; node = rest.pop()) {
    if (node.type === 'definition' && !definitions.has(node.identifier)) {
      definitions.set(node.identifier, node)
    }
    if ('children' in node) rest.push(...[...node.children].reverse())
  }
  return definitions
}
