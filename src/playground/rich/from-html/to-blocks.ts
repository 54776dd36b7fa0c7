import type { RichBlock } from 'grammy/types'
import { toTagBlock } from '../block-frames.ts'
import { isBlockTag } from '../html-tags.ts'
import { trimText } from '../rich-text.ts'
import { toTextBlocks } from '../text-blocks.ts'
import { type HtmlElement, type HtmlNode, htmlInvalid } from './read-tree.ts'
import { toList } from './to-list.ts'
import { toTable } from './to-table.ts'
import { type HtmlOptions, isTextTag, rawTextOf, toText } from './to-text.ts'

const OWN_NAMES = ['pre', 'ul', 'ol', 'table', 'tg-math-block']
/** They have a meaning only in one of the others. */
const PART_NAMES = ['caption', 'cite', 'input', 'li', 'summary', 'td', 'th', 'tr']
const PARTS = new Map([
  ['details', 'summary'],
  ['blockquote', 'cite'],
  ['aside', 'cite'],
])

/** Checks whether rich messages have such a tag. */
export function isKnown(name: string): boolean {
  return isTextTag(name) || isBlockName(name) || PART_NAMES.includes(name)
}

function isBlockName(name: string): boolean {
  return OWN_NAMES.includes(name) || (isBlockTag({ name }) && !PART_NAMES.includes(name))
}

/** Turns what stands side by side into blocks; text between them is paragraphs. */
export function toBlocks(nodes: readonly HtmlNode[], options: HtmlOptions): RichBlock[] {
  const blocks: RichBlock[] = []
  let line: HtmlNode[] = []
  for (const node of nodes) {
    if (typeof node === 'string' || !isBlockName(node.tag.name)) line.push(node)
    else {
      endLine()
      blocks.push(toBlock(node, options))
    }
  }
  endLine()
  return blocks

  function endLine(): void {
    blocks.push(...toTextBlocks(toText(line, options)))
    line = []
  }
}

function toBlock(element: HtmlElement, options: HtmlOptions): RichBlock {
  const { tag, children } = element
  switch (tag.name) {
    case 'hr':
      return { type: 'divider' }
    case 'pre':
      return toCode(children)
    case 'ul':
    case 'ol':
      return toList(element, (inside) => toBlocks(inside, options))
    case 'table':
      return toTable(element, (inside) => trimText(toText(inside, options)))
    case 'tg-math-block':
      return { type: 'mathematical_expression', expression: rawTextOf(children).trim() }
    default:
      return toTagBlock(readContent(element, options), tag)
  }
}

function readContent({ tag, children }: HtmlElement, options: HtmlOptions) {
  const { name, attributes } = tag
  const partName = PARTS.get(name)
  const isPart = (node: HtmlNode) => typeof node !== 'string' && node.tag.name === partName
  const parts = children.flatMap((node) =>
    typeof node !== 'string' && isPart(node) ? node.children : [],
  )
  const part = trimText(toText(parts, options))
  const others = children.filter((node) => !isPart(node))
  const inside = toBlocks(others, options)
  const isContainer = name === 'details' || (name === 'blockquote' && !attributes.has('expandable'))
  const blocks = isContainer ? inside : inside.map(toParagraph)
  return name === 'details'
    ? { blocks, summary: part, credit: '' }
    : { blocks, summary: '', credit: part }
}

/** A block that holds text alone can have nothing else. */
function toParagraph(block: RichBlock): RichBlock {
  if (block.type === 'anchor') return { type: 'paragraph', text: block }
  if (block.type !== 'paragraph') throw htmlInvalid()
  return block
}

/** The language stands in a `code` that fills the `pre`. Tabs were seen to arrive as single spaces. */
function toCode(children: readonly HtmlNode[]): RichBlock {
  const [only, ...others] = children.filter((node) => typeof node !== 'string' || node.trim())
  const code = typeof only === 'object' && only.tag.name === 'code' ? only : undefined
  const isFilled = code !== undefined && others.length === 0
  const named = isFilled ? code.tag.attributes.get('class') : undefined
  const language = /^language-(.+)$/.exec(named ?? '')?.[1]
  const text = rawTextOf(isFilled ? code.children : children)
    .replace(/^\n|\n$/g, '')
    .replace(/\t/g, ' ')
  return { type: 'pre', text, ...(language && { language }) }
}
