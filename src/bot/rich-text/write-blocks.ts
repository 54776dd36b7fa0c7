import type {
  Blockquote,
  Code,
  Heading,
  List,
  ListItem,
  Nodes,
  RootContent,
  Table,
  TableCell,
} from 'mdast'
import type { Math as Formula } from 'mdast-util-math'
import { isWide } from './tables.ts'
import type { Phrasing } from './tags.ts'
import { type InlineContext, writeFenced, writeInline, writeTextLines } from './write-inline.ts'

export interface BlockContext {
  source: string
  /** Blocks that begin before it continue from an earlier message. */
  resumesAt: number
  depth: number
  closesOpen: boolean
}

const DELIMITERS = { left: ':--', right: '--:', center: ':-:' } as const
const NUMBER_MAX = 999_999_999
/** The content of an empty item: Telegram rejects items without content. */
const EMPTY_ITEM = '—'
const LANGUAGE = /^[\p{L}\p{N}_+#.-]{1,32}$/u

function writeBlocks(nodes: readonly RootContent[], context: BlockContext): string {
  const written = nodes.map((node) => writeBlock(node, context))
  return written.filter((block) => block !== '').join('\n\n')
}

/** Writes a block, or nothing if it has no content. */
export function writeBlock(node: RootContent, context: BlockContext): string {
  switch (node.type) {
    case 'paragraph':
      return writeParagraph(node.children, context)
    case 'heading':
      return writeHeading(node, context)
    case 'code':
      return writeCode(node)
    case 'math':
      return writeFormula(node)
    case 'list':
      return writeList(node, context)
    case 'blockquote':
      return writeQuote(node, context)
    case 'table':
      return isWide(node)
        ? writeFenced(sourceOf(node, context))
        : writeTable(node, context).join('\n')
    case 'thematicBreak':
      // After the marker of an item, dashes would make the whole line a rule.
      return context.depth > 0 ? '___' : '---'
    case 'html':
      return writeTextLines(node.value)
    default:
      return ''
  }
}

/** Writes the head of a table and its rows. Adds missing cells, and merges surplus cells into the last. */
export function writeTable({ children, align }: Table, context: BlockContext): string[] {
  const width = children[0]?.children.length ?? 1
  const delimiters = Array.from({ length: width }, (_, column) => {
    const side = align?.[column]
    return side ? DELIMITERS[side] : '---'
  })
  const [head = '', ...rows] = children.map(({ children: cells }) => {
    const written = cells.map((cell) => writeCell(cell, context))
    const others = Array.from({ length: width - cells.length }, () => '')
    const last = written.slice(width - 1).join(' \\| ')
    return writeRow([...written.slice(0, width - 1), last, ...others].slice(0, width))
  })
  return [`${head}\n${writeRow(delimiters)}`, ...rows]
}

function writeRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function writeCell({ children }: TableCell, context: BlockContext): string {
  const line = toInlineContext({ ...context, depth: context.depth + 1 })
  return writeInline(children, { ...line, isCell: true, isOneLine: true }).trim()
}

export function toInlineContext({ depth, closesOpen }: BlockContext): InlineContext {
  return { before: '', after: '', depth: depth + 1, closesOpen }
}

function writeParagraph(children: readonly Phrasing[], context: BlockContext): string {
  const [only] = children
  if (children.length === 1 && only?.type === 'inlineMath' && isDisplayed(only, context)) {
    return writeFormula({ type: 'math', value: only.value })
  }
  return writeInline(withoutLead(children, context), toInlineContext(context)).trim()
}

/** A cut paragraph continues after a sign that keeps it from becoming another block. */
function withoutLead(
  children: readonly Phrasing[],
  { resumesAt }: BlockContext,
): readonly Phrasing[] {
  const [first, ...rest] = children
  if (first?.type !== 'text') return children
  if ((first.position?.start.offset ?? resumesAt) >= resumesAt) return children
  return [{ ...first, value: first.value.slice(1) }, ...rest]
}

function isDisplayed(node: Nodes, context: BlockContext): boolean {
  return /^(?:\$\$|\\\[)/.test(sourceOf(node, context))
}

function sourceOf({ position }: Nodes, { source }: BlockContext): string {
  return source.slice(position?.start.offset, position?.end.offset)
}

function writeHeading({ depth, children }: Heading, context: BlockContext): string {
  const line = { ...toInlineContext(context), isOneLine: true, before: ' ' }
  const text = writeInline(children, line).trim()
  return text === '' ? '' : `${'#'.repeat(depth)} ${text}`
}

/** Telegram squeezes tabs, and rejects empty code blocks. */
function writeCode({ value, lang }: Pick<Code, 'value' | 'lang'>): string {
  if (value.trim() === '') return ''
  const language = lang && LANGUAGE.test(lang) ? lang : ''
  return writeFenced(value.replaceAll('\t', '    '), language)
}

function writeFormula({ value }: Pick<Formula, 'type' | 'value'>): string {
  const formula = value.trim()
  if (formula === '') return ''
  if (!formula.includes('\n') && !formula.includes('$')) return `$$${formula}$$`
  return writeCode({ value: formula, lang: 'math' })
}

function writeQuote({ children }: Blockquote, context: BlockContext): string {
  const inside = writeBlocks(children, { ...context, depth: context.depth + 1 })
  return inside === '' ? '' : prefixLines(inside, { first: '> ', rest: '> ' })
}

/** Writes a list with the markers of its source, so that two lists in a row stay two. */
function writeList(list: List, context: BlockContext): string {
  const items = list.children.map((_, index) => writeListItem(list, index, context))
  const [first] = list.children
  const gap = first !== undefined && isResumed(first, context) ? '\n\n' : '\n'
  return [items[0], items.slice(1).join('\n')].join(gap).trim()
}

export function isResumed({ position }: Nodes, { resumesAt }: BlockContext): boolean {
  return (position?.start.offset ?? resumesAt) < resumesAt
}

/** Writes one item of a list. An item of an earlier message has no marker. */
export function writeListItem(list: List, index: number, context: BlockContext): string {
  const item = list.children[index]
  if (item === undefined) return ''
  if (isResumed(item, context)) return writeBlocks(item.children, context)
  const marker = markerOf(list, index, context)
  const body = writeItemBody(item, { ...context, depth: context.depth + 2 })
  const task = typeof item.checked === 'boolean' ? `[${item.checked ? 'x' : ' '}] ` : ''
  const shown = `${task}${body === '' ? EMPTY_ITEM : body}`
  return prefixLines(shown, { first: marker, rest: ' '.repeat(marker.length) })
}

function markerOf(list: List, index: number, context: BlockContext): string {
  const [, sign = '-'] = /^\d*([-*+.)])/.exec(sourceOf(list.children[index] ?? list, context)) ?? []
  if (!list.ordered) return `${sign} `
  const number = Math.min((list.start ?? 1) + index, NUMBER_MAX)
  return `${number}${sign === ')' ? ')' : '.'} `
}

/** A list follows a paragraph without a blank line, which would separate the items. */
function writeItemBody({ children }: ListItem, context: BlockContext): string {
  let body = ''
  for (const [index, node] of children.entries()) {
    const block = writeBlock(node, context)
    if (block === '') continue
    const isTight =
      children[index - 1]?.type === 'paragraph' &&
      node.type === 'list' &&
      (!node.ordered || (node.start ?? 1) === 1)
    body += body === '' ? block : `${isTight ? '\n' : '\n\n'}${block}`
  }
  return body
}

function prefixLines(text: string, { first, rest }: { first: string; rest: string }): string {
  return text
    .split('\n')
    .map((line, index) => (index === 0 ? first + line : line === '' ? rest.trimEnd() : rest + line))
    .join('\n')
}
