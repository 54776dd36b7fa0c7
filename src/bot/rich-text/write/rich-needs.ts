import type { Nodes } from 'mdast'
import { opensDetails } from '../parse/details-tags.ts'
import { isWide } from './write-table.ts'

/** Content that a text with entities cannot show as it is meant. */
export type RichNeed = 'table' | 'tasks' | 'formula' | 'details' | 'headings'

/** The signs of such content in a block. A heading stands for its level: one level alone is bold. */
export type RichSign = Exclude<RichNeed, 'headings'> | `heading ${number}`

const NO_SIGNS: ReadonlySet<RichSign> = new Set()

/** Collects the signs of content that only a rich message shows as it is meant. */
export function collectSigns(node: Nodes): ReadonlySet<RichSign> {
  const signs = new Set<RichSign>()
  for (const block of node.type === 'root' ? node.children : [node]) {
    // Elsewhere the tags are shown as they are.
    if (block.type === 'html' && opensDetails(block.value)) signs.add('details')
  }
  visit(node)
  return signs.size === 0 ? NO_SIGNS : signs

  function visit(inner: Nodes): void {
    switch (inner.type) {
      case 'table':
        // It is shown as code.
        if (isWide(inner)) return
        signs.add('table')
        break
      case 'tableRow':
        signs.add('table')
        break
      case 'listItem':
        if (typeof inner.checked === 'boolean') signs.add('tasks')
        break
      case 'math':
      case 'inlineMath':
        signs.add('formula')
        break
      case 'heading':
        signs.add(`heading ${inner.depth}`)
        break
    }
    if ('children' in inner) for (const child of inner.children) visit(child)
  }
}

/** Judges from the signs of a message's blocks what it has to be a rich one for; nothing is left out. */
export function needsOf(signs: Iterable<RichSign>): RichNeed[] {
  const needs = new Set<RichNeed>()
  let level: RichSign | undefined
  for (const sign of signs) {
    if (!isHeading(sign)) needs.add(sign)
    else if (level !== undefined && level !== sign) needs.add('headings')
    else level = sign
  }
  return [...needs]
}

function isHeading(sign: RichSign): sign is `heading ${number}` {
  return sign.startsWith('heading ')
}
