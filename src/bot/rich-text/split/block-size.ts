import type { Nodes } from 'mdast'

/** What Telegram counts of a tree. */
export interface BlockSize {
  /** Blocks, items of lists and rows of tables, the nested ones too. */
  count: number
  /** How deep they stand in one another. */
  depth: number
}

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

/** Measures a block with all that is in it. */
export function measureBlock(node: Nodes): BlockSize {
  // What stands there as text has paragraphs of its own.
  if (node.type === 'html') return { count: node.value.split('\n\n').length, depth: 1 }
  const own = COUNTED.has(node.type) ? 1 : 0
  if (own === 0 && node.type !== 'root') return { count: 0, depth: 0 }
  let count = own
  let depth = 0
  if ('children' in node) {
    for (const child of node.children) {
      const size = measureBlock(child)
      count += size.count
      depth = Math.max(depth, size.depth)
    }
  }
  return { count, depth: depth + own }
}
