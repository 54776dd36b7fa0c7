import { type Inline, pairTags } from './inline-tags.ts'

/** The text of inline content without its formatting. */
export function toPlainInline(nodes: readonly Inline[]): string {
  return pairTags(nodes, { closesOpen: false }).map(toPlain).join('')
}

function toPlain(node: Inline): string {
  switch (node.type) {
    case 'text':
    case 'html':
    case 'inlineCode':
    case 'inlineMath':
      return node.value
    case 'break':
      return '\n'
    case 'image':
    case 'imageReference':
      return node.alt ?? ''
    case 'footnoteReference':
      return `[^${node.label ?? node.identifier}]`
    default:
      return toPlainInline(node.children)
  }
}
