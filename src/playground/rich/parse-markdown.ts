import type { RichBlock } from 'grammy/types'
import type { Definition, RootContent } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from '../../platform/math-syntax.ts'
import { badRequest } from '../wire/envelope.ts'
import { toBlocks } from './blocks.ts'
import type { RichOptions } from './context.ts'
import { hideEscapes } from './escapes.ts'
import { checkedBlocks } from './limits.ts'

/**
 * Reads rich Markdown: GitHub's, with formulas, `==marks==`, `||spoilers||` and Telegram's HTML tags.
 *
 * Telegram's own parser is closed, so this is an approximation: strict where a message would be
 * refused, lenient with emphasis, fences and tables that are not finished.
 *
 * @throws {ApiError} `RICH_MESSAGE_…` for what is empty, broken or beyond a limit.
 */
export function parseRichMarkdown(markdown: string, options: RichOptions): RichBlock[] {
  if (!markdown.isWellFormed()) throw badRequest('Strings must be encoded in UTF-8')
  if (markdown.trim() === '') throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
  const source = hideEscapes(markdown)
  return checkedBlocks(() => {
    const nodes = parse(source)
    const blocks = toBlocks(nodes, {
      ...options,
      source,
      // The first definition of a name counts.
      definitions: new Map([...definitionsIn(nodes)].reverse().map((it) => [it.identifier, it])),
      parsePiece: (piece) => {
        const hidden = hideEscapes(piece)
        return { nodes: parse(hidden, ['htmlFlow']), source: hidden }
      },
    })
    if (blocks.length === 0) throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
    return blocks
  }, options)
}

function parse(source: string, disabled: string[] = []): RootContent[] {
  const { children } = fromMarkdown(source, {
    extensions: [gfm(), math(), { disable: { null: disabled } }],
    mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown()],
  })
  return children
}

/** The targets of reference links, in the order of the text. */
function* definitionsIn(nodes: readonly RootContent[]): Generator<Definition> {
  for (const node of nodes) {
    if (node.type === 'definition') yield node
    else if ('children' in node) yield* definitionsIn(node.children)
  }
}
