import type { Nodes, RootContent } from 'mdast'
import { formatBlocks } from '../entities/format-blocks.ts'
import type { Definitions } from '../parse/definitions.ts'
import { writeTextLines } from '../write/write-text.ts'

const BLOCKS_MAX = 100
const DEPTH_MAX = 12
const PARAGRAPH_GAP = '\n\n'

const COUNTED = new Set<Nodes['type']>([
  'paragraph',
  'heading',
  'code',
  'math',
  'list',
  'listItem',
  'blockquote',
  'table',
  'tableRow',
  'thematicBreak',
  'definition',
  'footnoteDefinition',
])

interface WrittenBlock {
  markdown: string
  blocks: number
}

/**
 * Writes a block, or shows it as text if it has more blocks in it, or deeper ones, than Telegram is
 * sure to take.
 */
export function writeBounded(
  node: RootContent,
  definitions: Definitions,
  write: () => string,
): WrittenBlock {
  const { count, depth } = measure(node)
  if (count <= BLOCKS_MAX && depth <= DEPTH_MAX) return { markdown: write(), blocks: count }
  const markdown = writeTextLines(formatBlocks([node], definitions).text)
  return { markdown, blocks: markdown.split(PARAGRAPH_GAP).length }
}

function measure(node: Nodes): { count: number; depth: number } {
  // It is shown as text, with paragraphs of its own.
  if (node.type === 'html') return { count: node.value.split(PARAGRAPH_GAP).length, depth: 1 }
  const own = COUNTED.has(node.type) ? 1 : 0
  if (own === 0 || !('children' in node)) return { count: own, depth: own }
  const inside = node.children.map(measure)
  return {
    count: inside.reduce((sum, { count }) => sum + count, own),
    depth: inside.reduce((most, { depth }) => Math.max(most, depth), 0) + own,
  }
}
