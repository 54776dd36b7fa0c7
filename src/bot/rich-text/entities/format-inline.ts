import type { Definitions } from '../parse/definitions.ts'
import { type Inline, type InlineSpan, pairTags } from '../parse/inline-tags.ts'
import { isAcceptedUrl } from '../parse/link-url.ts'
import { type EntityFormat, type FormattedText, format, join, plain } from './formatted-text.ts'

const FORMATS: Partial<Record<InlineSpan['type'], EntityFormat>> = {
  strong: { type: 'bold' },
  emphasis: { type: 'italic' },
  delete: { type: 'strikethrough' },
  u: { type: 'underline' },
  ins: { type: 'underline' },
  code: { type: 'code' },
}

const PLAIN = '0123456789+-−=()abcdefghijklmnoprstuvwxyz'
const RAISED = '⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ'
const RAISED_ALONE = {
  T: 'ᵀ',
  N: 'ᴺ',
  M: 'ᴹ',
  K: 'ᴷ',
  A: 'ᴬ',
  B: 'ᴮ',
  "'": '′',
  '′': '′',
  '°': '°',
  '∘': '°',
}
const LOWERED = '₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎'
const LOWERED_ALONE = {
  ...{ a: 'ₐ', e: 'ₑ', h: 'ₕ', i: 'ᵢ', j: 'ⱼ', k: 'ₖ', l: 'ₗ', m: 'ₘ', n: 'ₙ', o: 'ₒ', p: 'ₚ' },
  ...{ r: 'ᵣ', s: 'ₛ', t: 'ₜ', u: 'ᵤ', v: 'ᵥ', x: 'ₓ', β: 'ᵦ', γ: 'ᵧ', ρ: 'ᵨ', φ: 'ᵩ', χ: 'ᵪ' },
}

const RAISED_SIGNS = toMap(RAISED, RAISED_ALONE)
const LOWERED_SIGNS = toMap(LOWERED, LOWERED_ALONE)

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
      return format(plain(node.value), { type: 'code' })
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

function formatLink(inside: FormattedText, url: string | undefined): FormattedText {
  if (url === undefined || url === '') return inside
  const shown = inside.text.trim() === '' ? plain(url) : inside
  if (!isAcceptedUrl(url)) {
    return shown.text === url ? shown : join([shown, plain(` (${url})`)])
  }
  return format(shown, { type: 'text_link', url })
}

function raise(text: string): string {
  return write(text, RAISED_SIGNS, '^')
}

function lower(text: string): string {
  return write(text, LOWERED_SIGNS, '_')
}

function toMap(signs: string, alone: Readonly<Record<string, string>>): Map<string, string> {
  const paired = [...signs].map((sign, index) => [PLAIN.charAt(index), sign] as const)
  return new Map([...paired, ...Object.entries(alone)])
}

function write(text: string, signs: ReadonlyMap<string, string>, mark: string): string {
  const written = [...text.replaceAll(' ', '')].map((character) => signs.get(character))
  if (written.every((sign) => sign !== undefined)) return written.join('')
  return [...text].length === 1 ? `${mark}${text}` : `${mark}(${text})`
}
