import type { RichText, RichTextDateTime } from 'grammy/types'
import type { Definition, PhrasingContent } from 'mdast'
import { badRequest } from '../wire/envelope.ts'
import {
  isBlockTag,
  restoreEscapes,
  showEscapes,
  splitHtml,
  type Tag,
  unpaired,
} from './rich-html.ts'
import { joinText } from './rich-text.ts'

type Mark = '==' | '||'

const MARKS = /(?<!=)==(?!=)|(?<!\|)\|\|(?!\|)/g
const STYLES = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  strike: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  mark: 'marked',
  sub: 'subscript',
  sup: 'superscript',
} as const

export interface InlineContext {
  /** The Markdown that was parsed, escapes hidden. */
  source: string
  definitions: ReadonlyMap<string, Definition>
  isInTable?: boolean
}

/** Something begun and not yet ended; the outermost frame is the text itself. */
interface Frame {
  opener?: Mark | Tag
  parts: RichText[]
}

export function toRichText(nodes: readonly PhrasingContent[], context: InlineContext): RichText {
  const outermost: Frame = { parts: [] }
  const frames: Frame[] = [outermost]
  nodes.forEach((node, index) => {
    if (node.type === 'text') addText(node.value, index)
    else if (node.type === 'html') addHtml(node.value)
    else add(toRun(node, context))
  })
  flattenAbove(0)
  return joinText(outermost.parts)

  function add(text: RichText): void {
    const top = frames.at(-1) ?? outermost
    top.parts.push(text)
  }

  function addText(value: string, index: number): void {
    let position = 0
    for (const match of value.matchAll(MARKS)) {
      addPlain(value.slice(position, match.index))
      position = match.index + match[0].length
      const before = value[match.index - 1] ?? (index > 0 ? 'a' : ' ')
      const after = value[position] ?? (index < nodes.length - 1 ? 'a' : ' ')
      mark(match[0] as Mark, { canOpen: /\S/.test(after), canClose: /\S/.test(before) })
    }
    addPlain(value.slice(position))
  }

  function addPlain(value: string): void {
    add(showEscapes(value).replace(/ *\n */g, ' '))
  }

  function addHtml(html: string): void {
    for (const piece of splitHtml(restoreEscapes(html))) {
      if (typeof piece === 'string') add(piece)
      else tag(piece)
    }
  }

  /** A mark without its other half is plain characters. */
  function mark(found: Mark, { canOpen, canClose }: { canOpen: boolean; canClose: boolean }): void {
    const depth = frames.findLastIndex(({ opener }) => opener === found)
    const isAcrossTag = frames.slice(depth).some(({ opener }) => typeof opener === 'object')
    if (canClose && depth > 0 && !isAcrossTag) {
      flattenAbove(depth)
      const text = joinText(frames.pop()?.parts ?? [])
      add({ type: found === '==' ? 'marked' : 'spoiler', text })
    } else if (canOpen) frames.push({ opener: found, parts: [] })
    else add(found)
  }

  function tag(found: Tag): void {
    const style = STYLES[found.name as keyof typeof STYLES]
    if (found.name === 'br') add('\n')
    else if (isBlockTag(found)) throw unpaired()
    else if (style === undefined) return
    else if (found.isClosed) add({ type: style, text: '' })
    else if (!found.isEnd) frames.push({ opener: found, parts: [] })
    else {
      const depth = frames.findLastIndex(({ opener }) => typeof opener === 'object')
      const opener = frames[depth]?.opener
      if (typeof opener !== 'object' || opener.name !== found.name) throw unpaired()
      flattenAbove(depth)
      add({ type: style, text: joinText(frames.pop()?.parts ?? []) })
    }
  }

  /** Turns marks that were begun inside and never ended into plain characters. */
  function flattenAbove(depth: number): void {
    for (const { opener = '', parts } of frames.splice(depth + 1)) {
      if (typeof opener === 'object') throw unpaired()
      add(opener)
      for (const part of parts) add(part)
    }
  }
}

type Run = Exclude<PhrasingContent, { type: 'text' | 'html' }>

function toRun(node: Run, context: InlineContext): RichText {
  switch (node.type) {
    case 'strong':
      return { type: 'bold', text: toRichText(node.children, context) }
    case 'emphasis':
      return { type: 'italic', text: toRichText(node.children, context) }
    case 'delete':
      return { type: 'strikethrough', text: toRichText(node.children, context) }
    case 'inlineCode':
      return { type: 'code', text: restoreEscapes(node.value, context.isInTable) }
    case 'inlineMath':
      return { type: 'mathematical_expression', expression: restoreEscapes(node.value) }
    case 'break':
      return '\n'
    case 'link': {
      // A bare address is a link only to the parser.
      const startsAt = node.position?.start.offset
      const isBare = startsAt === undefined || !/[[<]/.test(context.source.charAt(startsAt))
      const text = toRichText(node.children, context)
      return isBare ? text : toLink(text, showEscapes(node.url))
    }
    case 'linkReference': {
      const url = context.definitions.get(node.identifier)?.url ?? ''
      return toLink(toRichText(node.children, context), showEscapes(url))
    }
    case 'image':
      return toImage(showEscapes(node.alt ?? ''), showEscapes(node.url))
    case 'imageReference': {
      const url = context.definitions.get(node.identifier)?.url ?? ''
      return toImage(showEscapes(node.alt ?? ''), showEscapes(url))
    }
    case 'footnoteReference': {
      const name = node.label ?? node.identifier
      return { type: 'reference_link', text: name, reference_name: name }
    }
    default:
      throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
  }
}

/** @throws {ApiError} For an address that Telegram would not open. */
function toLink(text: RichText, address: string): RichText {
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(address) ?? []
  switch (scheme.toLowerCase()) {
    case 'http':
    case 'https':
    case 'tg':
      if (!URL.canParse(address)) throw badRequest('RICH_MESSAGE_URL_INVALID')
      return { type: 'url', text, url: address }
    case 'mailto': {
      const [email_address = ''] = address.slice('mailto:'.length).split('?')
      if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email_address)) {
        throw badRequest('RICH_MESSAGE_EMAIL_INVALID')
      }
      return { type: 'email_address', text, email_address }
    }
    case 'tel': {
      const phone_number = address.slice('tel:'.length)
      if (!/^\+?[\d\s()-]{3,}$/.test(phone_number)) throw badRequest('RICH_MESSAGE_PHONE_INVALID')
      return { type: 'phone_number', text, phone_number }
    }
    default:
      throw badRequest('RICH_MESSAGE_URL_INVALID')
  }
}

/** Makes a date of the image that stands for one. @throws {ApiError} For other images. */
function toImage(alt: string, address: string): RichText {
  const url = URL.parse(address)
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (isWeb) throw badRequest('RICH_MESSAGE_PHOTO_NO_MEDIA_FOUND')
  if (url?.protocol !== 'tg:' || url.host !== 'time') throw badRequest('RICH_MESSAGE_URL_INVALID')
  const { unix = '', format = '' } = Object.fromEntries(url.searchParams)
  if (!/^\d+$/.test(unix) || !/^(r|w?[dD]?[tT]?)$/.test(format)) {
    throw badRequest('RICH_MESSAGE_DATE_INVALID')
  }
  // The expression lets through exactly what the type lists.
  const date_time_format = format as RichTextDateTime['date_time_format']
  return { type: 'date_time', text: alt, unix_time: Number(unix), date_time_format }
}
