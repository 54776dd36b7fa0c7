import { badRequest } from '../wire/envelope.ts'

export interface Tag {
  name: string
  isEnd: boolean
  /** Ends where it begins, as in `<br/>`. */
  isClosed: boolean
  isOpenDetails: boolean
  source: string
}

const TAG_OR_COMMENT =
  /<!--[\s\S]*?-->|<(?<end>\/?)(?<name>[a-z][a-z0-9-]*)(?<rest>(?:\s[^<>]*?)?)(?<self>\/?)>/gi
const BLOCK_NAMES = ['details', 'summary']
/** Tags of rich messages that the bot does not write. They are refused, so that none escapes unnoticed. */
const NOT_BUILT =
  /^(a|aside|audio|blockquote|cite|figcaption|figure|footer|h[1-6]|hr|img|input|li|ol|p|pre|table|tg-.*|ul|video)$/

/** Splits HTML into its tags and the texts between them, without comments. */
export function splitHtml(html: string): (Tag | string)[] {
  const pieces: (Tag | string)[] = []
  let position = 0
  for (const match of html.matchAll(TAG_OR_COMMENT)) {
    if (match.index > position) pieces.push(html.slice(position, match.index))
    position = match.index + match[0].length
    const { name, end, rest = '', self } = match.groups ?? {}
    if (name === undefined) continue
    const tag = {
      name: name.toLowerCase(),
      isEnd: end === '/',
      isClosed: self === '/',
      isOpenDetails: /\sopen\b/i.test(rest),
      source: match[0],
    }
    if (NOT_BUILT.test(tag.name)) {
      throw badRequest(`the playground does not build <${tag.name}> in rich Markdown`)
    }
    pieces.push(tag)
  }
  if (position < html.length) pieces.push(html.slice(position))
  return pieces
}

export function isBlockTag({ name }: Tag): boolean {
  return BLOCK_NAMES.includes(name)
}

/** The refusal of a tag without its other half. */
export function unpaired() {
  return badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
}

/**
 * The Markdown parser returns texts without their escapes, and `==` and `||` are found in those texts afterwards. So
 * every other way to write `=` or `|` is replaced before, each form by a noncharacter of its own, which no text may
 * hold.
 */
const FORMS = [
  ['\\=', '='],
  ['\\|', '|'],
  ['&#61;', '='],
  ['&#x3D;', '='],
  ['&equals;', '='],
  ['&#124;', '|'],
  ['&#x7C;', '|'],
  ['&vert;', '|'],
  ['&VerticalLine;', '|'],
] as const

const FIRST = 0xfdd0
const HIDDEN = /[\u{fdd0}-\u{fdd8}]/gu

/** An escaped backslash escapes nothing. */
export function hideEscapes(markdown: string): string {
  return markdown.replace(/\\[\s\S]|&(?:#?\w+);/g, (found) => {
    const index = FORMS.findIndex(([form]) => form.toLowerCase() === found.toLowerCase())
    return index < 0 ? found : String.fromCharCode(FIRST + index)
  })
}

export function showEscapes(text: string): string {
  return text.replace(HIDDEN, (found) => formOf(found)[1])
}

export function restoreEscapes(text: string, isInTable = false): string {
  return text.replace(HIDDEN, (found) => {
    const [form, meant] = formOf(found)
    return isInTable && form === '\\|' ? meant : form
  })
}

function formOf(found: string) {
  return FORMS[found.charCodeAt(0) - FIRST] ?? FORMS[0]
}
