import { badRequest } from '../../wire/envelope.ts'
import { splitHtml, type Tag } from '../html-tags.ts'

export interface HtmlElement {
  tag: Tag
  children: HtmlNode[]
}

/** Text has its characters decoded and its white space as it was. */
export type HtmlNode = HtmlElement | string

/** Nothing can stand in them. */
const VOID_NAMES = ['br', 'hr', 'img', 'input']

/** @throws {ApiError} For HTML that Telegram would not read. */
export function htmlInvalid() {
  return badRequest('RICH_MESSAGE_HTML_INVALID')
}

/**
 * Reads HTML as a tree. Of a tag that rich messages do not have, only the content is left.
 *
 * @throws {ApiError} For a tag that is cut off, never closed, or closed by another one's end.
 */
export function readTree(html: string, isKnown: (name: string) => boolean): HtmlNode[] {
  // Also spares a search for the end from each of many comments that have none.
  if (html.lastIndexOf('<!--') > html.lastIndexOf('-->')) throw htmlInvalid()
  const nodes: HtmlNode[] = []
  const open: HtmlElement[] = []
  for (const piece of splitHtml(html)) {
    if (typeof piece === 'string') addText(piece)
    else if (piece.isEnd) close(piece)
    else begin({ ...piece, attributes: decodeAll(piece.attributes) })
  }
  if (open.some(({ tag }) => isKnown(tag.name))) throw htmlInvalid()
  return nodes

  function siblings(): HtmlNode[] {
    return open.at(-1)?.children ?? nodes
  }

  function addText(text: string): void {
    if (/<[a-z/!]/i.test(text)) throw htmlInvalid()
    siblings().push(decodeCharacters(text))
  }

  function begin(tag: Tag): void {
    // What stands in an unknown tag goes to the tag around it.
    const element = { tag, children: isKnown(tag.name) ? [] : siblings() }
    if (isKnown(tag.name)) siblings().push(element)
    if (!tag.isClosed && !VOID_NAMES.includes(tag.name)) open.push(element)
  }

  function close({ name }: Tag): void {
    if (VOID_NAMES.includes(name)) return
    // An unknown tag may be left open.
    while (open.length > 0 && open.at(-1)?.tag.name !== name) {
      const left = open.pop()
      if (left === undefined || isKnown(left.tag.name)) throw htmlInvalid()
    }
    if (open.pop() === undefined) throw htmlInvalid()
  }
}

function decodeAll(attributes: Tag['attributes']): Tag['attributes'] {
  return new Map([...attributes].map(([name, value]) => [name, decodeCharacters(value)]))
}

/** The elements among nodes, white space between them passed over. @throws {ApiError} For any other. */
export function elementsIn(nodes: readonly HtmlNode[], names: readonly string[]): HtmlElement[] {
  return nodes.flatMap((node) => {
    if (typeof node === 'string' && node.trim() === '') return []
    if (typeof node === 'string' || !names.includes(node.tag.name)) throw htmlInvalid()
    return [node]
  })
}

const CHARACTERS = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', '\u00a0'],
  ['hellip', '…'],
  ['mdash', '—'],
  ['ndash', '–'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
])
const CODE_POINT_MAX = 0x10ffff

/** Reads `&lt;` and its like. Rich HTML knows these names and every number; anything else stays as it is. */
function decodeCharacters(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|([a-z]+));/gi,
    (found, hex?: string, decimal?: string, name = '') => {
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
      const isSurrogate = code >= 0xd800 && code <= 0xdfff
      const isCode = code > 0 && code <= CODE_POINT_MAX && !isSurrogate
      return (isCode ? String.fromCodePoint(code) : CHARACTERS.get(name)) ?? found
    },
  )
}
