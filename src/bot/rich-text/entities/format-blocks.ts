import type { List, ListItem, RootContent } from 'mdast'
import type { Definitions } from '../parse/definitions.ts'
import { readDetails } from '../parse/details-tags.ts'
import { parseMarkdown } from '../parse/parse-markdown.ts'
import { formatInline } from './format-inline.ts'
import { formatTable } from './format-table.ts'
import { type FormattedText, format, join, plain, slice } from './formatted-text.ts'

const LINE = '———'

/** Formats blocks with what a plain message can show, a blank line between them. */
export function formatBlocks(
  nodes: readonly RootContent[],
  definitions: Definitions,
): FormattedText {
  return joinShown(
    nodes.map((node) => formatBlock(node, definitions)),
    '\n\n',
  )
}

function formatBlock(node: RootContent, definitions: Definitions): FormattedText {
  switch (node.type) {
    case 'paragraph':
      return formatInline(node.children, definitions)
    case 'heading':
      return format(formatInline(node.children, definitions), { type: 'bold' })
    case 'code': {
      const language = node.lang ? { language: node.lang } : {}
      return format(plain(node.value), { type: 'pre', ...language })
    }
    case 'math':
      return format(plain(node.value), { type: 'pre', language: 'latex' })
    case 'list':
      return formatList(node, definitions)
    case 'blockquote':
      return formatQuote(formatBlocks(node.children, definitions))
    case 'table':
      return formatTable(node, definitions)
    case 'thematicBreak':
      return plain(LINE)
    case 'html':
      return formatHtml(node.value, definitions)
    case 'definition': {
      const isUsed = definitions.references.has(node.identifier)
      return plain(isUsed ? '' : `[${node.label ?? node.identifier}]: ${node.url}`)
    }
    case 'footnoteDefinition': {
      const name = plain(`[^${node.label ?? node.identifier}]: `)
      return join([name, formatBlocks(node.children, definitions)])
    }
    default:
      return plain('')
  }
}

function formatHtml(html: string, definitions: Definitions): FormattedText {
  const tokens = readDetails(html)
  if (tokens.length === 0) return plain(html)
  const parts = tokens.map((token) => {
    if (token.type === 'close') return plain('')
    const markdown = token.type === 'open' ? token.summary : token.markdown
    const { children } = parseMarkdown(markdown, { isFromModel: false })
    const formatted = formatBlocks(children, definitions)
    return token.type === 'open' ? format(formatted, { type: 'bold' }) : formatted
  })
  return joinShown(parts, '\n\n')
}

function formatList(list: List, definitions: Definitions): FormattedText {
  return joinShown(
    list.children.map((item, index) => {
      const marker = list.ordered ? `${(list.start ?? 1) + index}. ` : '• '
      return formatItem(item, marker, definitions)
    }),
    '\n',
  )
}

function formatItem(
  { children, checked }: ListItem,
  marker: string,
  definitions: Definitions,
): FormattedText {
  const sign = typeof checked === 'boolean' ? (checked ? '☑ ' : '☐ ') : marker
  const [first, ...rest] = children
  const head = first ? formatBlock(first, definitions) : plain('')
  const tail = rest.map((node) => indent(formatBlock(node, definitions)))
  return joinShown([join([plain(sign), head]), ...tail], '\n')
}

function indent(block: FormattedText): FormattedText {
  const isPre = block.entities.some(({ type }) => type === 'pre')
  if (isPre || block.text === '') return block
  let end = -1
  const lines = block.text.split('\n').map(({ length }) => {
    const start = end + 1
    end = start + length
    return join([plain('  '), slice(block, start, end)])
  })
  return join(lines, '\n')
}

/** Telegram allows no quote in a quote. */
function formatQuote({ text, entities }: FormattedText): FormattedText {
  const inside = entities.filter(({ type }) => type !== 'blockquote')
  return format({ text, entities: inside }, { type: 'blockquote' })
}

function joinShown(parts: readonly FormattedText[], separator: string): FormattedText {
  return join(
    parts.filter(({ text }) => text.trim() !== ''),
    separator,
  )
}
