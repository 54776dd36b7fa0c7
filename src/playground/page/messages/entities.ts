import type { MessageEntity } from 'grammy/types'

interface EntityNode {
  entity: MessageEntity
  inside: TextNode[]
}

export type TextNode = string | EntityNode

export function nestEntities(text: string, entities: readonly MessageEntity[]): TextNode[] {
  const sorted = entities.toSorted((a, b) => a.offset - b.offset || b.length - a.length)
  let next = 0
  return readStretch(0, text.length)

  function readStretch(from: number, to: number): TextNode[] {
    const nodes: TextNode[] = []
    let position = from
    for (let entity = sorted[next]; entity !== undefined; entity = sorted[next]) {
      if (entity.offset >= to) break
      next += 1
      const start = Math.max(entity.offset, position)
      const end = Math.min(entity.offset + entity.length, to)
      if (end <= start) continue
      if (start > position) nodes.push(text.slice(position, start))
      nodes.push({ entity, inside: readStretch(start, end) })
      position = end
    }
    if (position < to) nodes.push(text.slice(position, to))
    return nodes
  }
}

const BLOCKS: readonly MessageEntity['type'][] = ['pre', 'blockquote']

function isBlock(node: TextNode | undefined): node is EntityNode {
  return typeof node === 'object' && BLOCKS.includes(node.entity.type)
}

export function trimAroundBlocks(nodes: readonly TextNode[]): TextNode[] {
  return nodes.map((node, index) => {
    if (typeof node !== 'string') return node
    const start = isBlock(nodes[index - 1]) && node.startsWith('\n') ? 1 : 0
    const end = isBlock(nodes[index + 1]) && node.endsWith('\n') ? -1 : undefined
    return node.slice(start, end)
  })
}
