import type { PhrasingContent } from 'mdast'
import { isAcceptedUrl } from './write-inline.ts'

/** Formatted content: as signs or tags mark it, or as only tags can. */
export interface InlineSpan {
  type: 'strong' | 'emphasis' | 'delete' | 'u' | 'ins' | 'sub' | 'sup' | 'mark' | 'code'
  children: Inline[]
}

/** A link, as its signs or its tags mark it. */
export interface InlineLink {
  type: 'link'
  url: string
  children: Inline[]
}

/** The content of a paragraph with its tags paired. The parser reads no references. */
export type Inline =
  | Extract<
      PhrasingContent,
      { type: 'text' | 'html' | 'inlineCode' | 'inlineMath' | 'break' | 'image' }
    >
  | InlineSpan
  | InlineLink

/** The content of a paragraph, with or without its tags paired. */
export type Phrasing = Inline | PhrasingContent

const SPAN_TYPES: Readonly<Record<string, InlineSpan['type']>> = {
  b: 'strong',
  strong: 'strong',
  i: 'emphasis',
  em: 'emphasis',
  s: 'delete',
  strike: 'delete',
  del: 'delete',
  u: 'u',
  ins: 'ins',
  sub: 'sub',
  sup: 'sup',
  mark: 'mark',
  code: 'code',
}

const LINK = /^<a\s(?:[^>]*\s)?href\s*=\s*(?:"([^"]*)"|'([^']*)')[^>]*>$/i

/** The tags without attributes that mean something. Any other one but that of a link is text. */
export const TAG_NAMES: readonly string[] = [...Object.keys(SPAN_TYPES), 'br']

interface Tag {
  name: string
  isEnd: boolean
  url?: string
}

/**
 * Pairs the tags among the children of a node. A tag that is unknown, has no partner, or has
 * attributes and is no link becomes text.
 *
 * @param closesOpen Whether a tag without its end is ended after the last child.
 */
export function pairTags(
  nodes: readonly Phrasing[],
  { closesOpen }: { closesOpen: boolean },
): Inline[] {
  const paired: Inline[] = []
  const opened: (Tag & { at: number })[] = []
  for (const node of nodes as readonly Inline[]) {
    const tag = node.type === 'html' ? readTag(node.value) : undefined
    const at = opened.findLastIndex(({ name }) => name === tag?.name)
    if (tag?.name === 'br') paired.push({ type: 'break' })
    else if (tag?.isEnd && at !== -1) close(at)
    else {
      if (tag && !tag.isEnd) opened.push({ ...tag, at: paired.length })
      paired.push(node.type === 'html' ? { type: 'text', value: node.value } : node)
    }
  }
  while (closesOpen && opened.length > 0) close(opened.length - 1)
  return paired

  function close(index: number): void {
    const [{ name = '', url, at = 0 } = {}] = opened.splice(index)
    const [, ...children] = paired.splice(at)
    const type = SPAN_TYPES[name]
    if (url !== undefined) paired.push({ type: 'link', url, children })
    else if (type) paired.push({ type, children })
  }
}

function readTag(source: string): Tag | undefined {
  const [, ...values] = LINK.exec(source) ?? []
  const url = values.join('').replaceAll('&amp;', '&')
  if (isAcceptedUrl(url)) return { name: 'a', isEnd: false, url }
  if (/^<\/a\s*>$/i.test(source)) return { name: 'a', isEnd: true }
  const [, slash, tag = '', end] = /^<(\/?)([a-z]+)\s*(\/?>)$/i.exec(source) ?? []
  const name = tag.toLowerCase()
  const isBare = TAG_NAMES.includes(name) && (end === '>' || name === 'br')
  return isBare ? { name, isEnd: slash === '/' } : undefined
}

/** A tag of content that a reader opens by its summary, or the Markdown between such tags. */
export type DetailsToken =
  | { type: 'open'; summary: string; isOpen: boolean }
  | { type: 'close' }
  | { type: 'content'; markdown: string }

const DETAILS =
  /<details(\s+open(?:\s*=\s*"[^"<>]*")?)?\s*>\s*<summary>([\s\S]*?)<\/summary\s*>|<\/details\s*>/gi
const HALF_DETAILS =
  /<(?:\/?[a-z]*|\/?details\b[^>]*|details\b[^>]*>\s*(?:<(?:s[a-z]*|summary>(?:(?!<\/summary)[\s\S])*)?)?)$/i

/**
 * Reads a block of HTML into the tags of details and the Markdown between them. An app would show nothing to open
 * details without a summary by.
 *
 * @returns Nothing for HTML without details.
 */
export function readDetails(html: string): readonly DetailsToken[] {
  const tokens: DetailsToken[] = []
  let end = 0
  for (const { index, 0: tag, 1: open, 2: summary } of html.matchAll(DETAILS)) {
    addContent(html.slice(end, index))
    if (summary === undefined) tokens.push({ type: 'close' })
    else {
      const line = summary.replace(/\s+/g, ' ').trim()
      tokens.push({ type: 'open', summary: line, isOpen: open !== undefined })
    }
    end = index + tag.length
  }
  if (tokens.length > 0) addContent(html.slice(end))
  const isWithoutSummary = tokens.some(
    (token) => token.type === 'content' && /^<details\b/i.test(token.markdown),
  )
  return isWithoutSummary ? [] : tokens

  function addContent(markdown: string): void {
    if (markdown.trim() !== '') tokens.push({ type: 'content', markdown: markdown.trim() })
  }
}

/** Leaves out what may become a tag of details at the end of a block of HTML that grows. */
export function withoutHalfDetails(html: string): string {
  return html.replace(HALF_DETAILS, '')
}
