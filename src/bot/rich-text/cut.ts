import type { Nodes } from 'mdast'
import type { Block, Carry, Reading } from './blocks.ts'
import { characterStart } from './characters.ts'
import { findInnerFence } from './masks.ts'

/** A point where a text continues in the next message. */
export interface Cut {
  offset: number
  carry: Carry
}

/** The sign in front of the rest of a cut paragraph that keeps it from becoming another block. */
const TEXT_PRELUDE = '('

/**
 * Cuts a text that is too long for one message between blocks, else items or rows. Never right after a heading.
 *
 * @param charsMax How much of the text the message may show.
 * @returns Nothing if the message would be too short.
 */
export function cutBetween(blocks: readonly Block[], charsMax: number): Cut | undefined {
  const late = blocks.filter(
    ({ start }, index) =>
      start >= charsMax / 2 && start <= charsMax && blocks[index - 1]?.type !== 'heading',
  )
  const block = late.findLast(({ isTight }) => !isTight) ?? late.at(-1)
  return block && cutBefore(block)
}

/** Cuts a text in front of a block. */
export function cutBefore({ start, carry }: Block): Cut {
  return { offset: start, carry }
}

/** Cuts a text at a line of a block, else at a word, and opens the block again. */
export function cutInside({ text, root, opening }: Reading, charsMax: number): Cut {
  const half = opening + charsMax / 2
  const limit = opening + charsMax
  const lines: number[] = []
  for (
    let at = text.lastIndexOf('\n', limit - 1);
    at >= half;
    at = text.lastIndexOf('\n', at - 1)
  ) {
    lines.push(at + 1)
  }
  const word = text.lastIndexOf(' ', limit - 1) + 1
  const rough = word > half ? word : characterStart(text, limit, opening)
  const at = lines.find(isGood) ?? lines[0] ?? rough
  return { offset: at - opening, carry: openAt(at) }

  /** Telegram cuts off blanks at the end of a message, which code needs. Elsewhere a blank line is the best place. */
  function isGood(line: number): boolean {
    const before = text.slice(text.lastIndexOf('\n', line - 2) + 1, line - 1)
    return /^[\s>]*$/.test(before) !== pathTo(root, line).some(isCode)
  }

  function openAt(offset: number): Carry {
    let line = ''
    let number: number | undefined
    const isLine = text.charAt(offset - 1) === '\n'
    for (const [index, node] of pathTo(root, offset).entries()) {
      const { column = 1, offset: from = 0 } = node.position?.start ?? {}
      const rest = text.slice(from, text.indexOf('\n', from))
      if (node.type === 'blockquote') line = `${line.padEnd(column - 1)}>`
      else if (node.type === 'listItem') {
        line = line.padEnd(column - 1) + (/^(?:[-*+]|\d+[.)])/.exec(rest)?.[0] ?? '')
      } else if (node.type === 'list' && node.ordered && index === 0) {
        const before = node.children.filter(({ position }) => (position?.end.offset ?? 0) <= offset)
        number = (node.start ?? 1) + before.length
      } else if (isCode(node) && /^(?:`{3}|~{3}|\$\$|\\\[)/.test(rest)) {
        const lead = line.padEnd(column - 1)
        const margin = isLine ? '' : lead.replaceAll(/[^>]/g, ' ')
        const inner = findInnerFence(text, offset)
        const fences = inner ? `${rest}\n${lead.replaceAll(/[^>]/g, ' ')}${inner}` : rest
        return { prelude: `${lead}${fences}\n${margin}`, number }
      }
    }
    if (line === '') return { prelude: TEXT_PRELUDE }
    return { prelude: isLine ? `${line}\n` : `${line} ${TEXT_PRELUDE}`, number }
  }
}

function pathTo(node: Nodes, offset: number): Nodes[] {
  const children: readonly Nodes[] = 'children' in node ? node.children : []
  const inner = children.find(
    ({ position }) =>
      (position?.start.offset ?? offset) < offset && (position?.end.offset ?? 0) > offset,
  )
  return inner ? [inner, ...pathTo(inner, offset)] : []
}

function isCode({ type }: Nodes): boolean {
  return type === 'code' || type === 'math'
}
