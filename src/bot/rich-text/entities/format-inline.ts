import type { Definitions } from '../parse/definitions.ts'
import { type Inline, pairTags } from '../parse/inline-tags.ts'
import { isAcceptedUrl } from '../parse/link-url.ts'
import { type FormattedText, type Formatting, format, join, plain } from './formatted-text.ts'

const FORMATS = {
  strong: 'bold',
  emphasis: 'italic',
  delete: 'strikethrough',
  u: 'underline',
  ins: 'underline',
  code: 'code',
} as const

/** Formats inline content with what a plain message can show. */
export function formatInline(nodes: readonly Inline[], definitions: Definitions): FormattedText {
  const paired = pairTags(nodes, { closesOpen: false })
  return join(paired.map((node) => formatNode(node, definitions)))
}

function formatNode(node: Inline, definitions: Definitions): FormattedText {
  switch (node.type) {
    case 'text':
    case 'html':
      return plain(node.value)
    case 'inlineCode':
    case 'inlineMath':
      return format(plain(node.value), { type: 'code' })
    case 'break':
      return plain('\n')
    case 'strong':
    case 'emphasis':
    case 'delete':
      return format(formatInline(node.children, definitions), { type: FORMATS[node.type] })
    case 'tagSpan':
      return formatTag(node.name, formatInline(node.children, definitions))
    case 'link':
      return formatLink(formatInline(node.children, definitions), node.url)
    case 'linkReference': {
      const inside = formatInline(node.children, definitions)
      return formatLink(inside, definitions.links.get(node.identifier))
    }
    case 'image':
      return formatLink(plain(node.alt ?? ''), node.url)
    case 'imageReference':
      return formatLink(plain(node.alt ?? ''), definitions.links.get(node.identifier))
    case 'footnoteReference':
      return plain(`[^${node.label ?? node.identifier}]`)
  }
}

function formatTag(name: string, inside: FormattedText): FormattedText {
  // Telegram allows no formatting inside code.
  if (name === 'code') return format(plain(inside.text), { type: 'code' })
  if (name === 'u' || name === 'ins') return format(inside, { type: 'underline' })
  return inside
}

function formatLink(inside: FormattedText, url: string | undefined): FormattedText {
  if (url === undefined || url === '') return inside
  const shown = inside.text.trim() === '' ? plain(url) : inside
  if (!isAcceptedUrl(url)) {
    return shown.text === url ? shown : join([shown, plain(` (${url})`)])
  }
  const formatting: Formatting = { type: 'text_link', url }
  return format(shown, formatting)
}
