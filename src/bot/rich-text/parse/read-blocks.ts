import type { Nodes, RootContent } from 'mdast'
import { parseMarkdown } from './parse-markdown.ts'

/** A text in Telegram's Markdown with its blocks and the offsets at which they begin. */
export interface ReadBlocks {
  markdown: string
  blocks: readonly { node: RootContent; start: number }[]
}

/** The end of a definition's name: what is defined anywhere in a text changes all blocks that refer to it. */
const DEFINES = ']:'

/**
 * Reads a text in Telegram's Markdown into its blocks. The positions in their nodes mean nothing.
 *
 * @param before What was read last. Where the text begins like that one, the cost is that of its end, and the outcome
 *   the same.
 */
export function readBlocks(markdown: string, before?: ReadBlocks): ReadBlocks {
  const from = before === undefined ? 0 : settledUntil(markdown, before)
  const { children } = parseMarkdown(markdown.slice(from), { texSigns: false })
  // A text that cannot be parsed is shown as it is, all of it.
  if (from > 0 && children.some(({ position }) => position === undefined))
    return readBlocks(markdown)
  const kept = before?.blocks.filter(({ start }) => start < from) ?? []
  const fresh = children.map((node) => ({
    node,
    start: from + (node.position?.start.offset ?? 0),
  }))
  return { markdown, blocks: [...kept, ...fresh] }
}

/**
 * Finds the last block that surely begins there in the new text as well: below a blank line, with a first line that is
 * the same up to its end. What is before it stays as it is.
 */
function settledUntil(markdown: string, before: ReadBlocks): number {
  if (markdown.includes(DEFINES) || before.markdown.includes(DEFINES)) return 0
  const same = sameUntil(markdown, before.markdown)
  const settled = before.blocks.findLast(({ start }, index) => {
    const lineEnd = markdown.indexOf('\n', start)
    const isSame = lineEnd !== -1 && lineEnd < same && markdown.endsWith('\n\n', start)
    return isSame && !mayGoOn(before.blocks[index - 1], markdown)
  })
  return settled?.start ?? 0
}

/** Checks whether a block may end in indented code: to the parser, that goes on over blank lines. */
function mayGoOn(block: ReadBlocks['blocks'][number] | undefined, markdown: string): boolean {
  if (block?.node.type === 'code') return !'`~'.includes(markdown.charAt(block.start))
  return block !== undefined && endsInCode(block.node)
}

function endsInCode(node: Nodes): boolean {
  const last = 'children' in node ? node.children.at(-1) : undefined
  return last === undefined ? node.type === 'code' : endsInCode(last)
}

function sameUntil(one: string, other: string): number {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at
}
