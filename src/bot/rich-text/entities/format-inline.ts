import type { Definitions } from '../parse/definitions.ts'
import { type Inline, type InlineSpan, pairTags } from '../parse/inline-tags.ts'
import { isAcceptedUrl } from '../parse/link-url.ts'
import { type EntityFormat, type FormattedText, format, join, plain } from './formatted-text.ts'
import { lower, raise } from './scripts.ts'
import { writeFormulaText } from './write-formula.ts'

/** The formatting that a plain message can show. */
const FORMATS: Partial<Record<InlineSpan['type'], EntityFormat>> = {
  strong: { type: 'bold' },
  emphasis: { type: 'italic' },
  delete: { type: 'strikethrough' },
  u: { type: 'underline' },
  ins: { type: 'underline' },
  code: { type: 'code' },
}

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
      return format(plain(node.value), { type: 'code' })
    case 'inlineMath':
      return formatFormula(node.value, { type: 'code' })
    case 'break':
      return plain('\n')
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
    default:
      return formatSpan(node, definitions)
  }
}

function formatSpan({ type, children }: InlineSpan, definitions: Definitions): FormattedText {
  const inside = formatInline(children, definitions)
  if (type === 'sup') return plain(raise(inside.text))
  if (type === 'sub') return plain(lower(inside.text))
  const formatting = FORMATS[type]
  // Telegram allows no formatting inside code.
  const shown = type === 'code' ? plain(inside.text) : inside
  return formatting ? format(shown, formatting) : shown
}

/** Formats a formula as text, or as its source where it has no such form. */
export function formatFormula(source: string, asSource: EntityFormat): FormattedText {
  const text = writeFormulaText(source)
  return text === undefined || text === '' ? format(plain(source), asSource) : plain(text)
}

function formatLink(inside: FormattedText, url: string | undefined): FormattedText {
  if (url === undefined || url === '') return inside
  const shown = inside.text.trim() === '' ? plain(url) : inside
  if (!isAcceptedUrl(url)) {
    return shown.text === url ? shown : join([shown, plain(` (${url})`)])
  }
  return format(shown, { type: 'text_link', url })
}
