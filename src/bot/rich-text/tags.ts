import type { PhrasingContent } from 'mdast'
import { isAcceptedUrl } from './links.ts'

/** Formatted content, by signs or tags, or by tags only. */
export interface InlineSpan {
  type: 'strong' | 'emphasis' | 'delete' | 'u' | 'ins' | 'sub' | 'sup' | 'mark' | 'code'
  children: Inline[]
}

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

/** The content of a paragraph, with or without paired tags. */
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

/** The supported tags without attributes. All other tags except links are text. */
export const TAG_NAMES: readonly string[] = [...Object.keys(SPAN_TYPES), 'br']

interface Tag {
  name: string
  isEnd: boolean
  url?: string
}

/**
 * Pairs the tags among the children of a node.
 *
 * A tag becomes text if it is unknown, has no partner, or has attributes and is no link.
 *
 * @param closesOpen Whether an open tag ends after the last child.
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

/** A tag of details, or the Markdown between such tags. */
export type DetailsToken =
  | { type: 'open'; summary: string; isOpen: boolean }
  | { type: 'close' }
  | { type: 'content'; markdown: string }

const DETAILS =
  /<details(\s+open(?:\s*=\s*"[^"<>]*")?)?\s*>\s*<summary>([\s\S]*?)<\/summary\s*>|<\/details\s*>/gi
const HALF_DETAILS =
  /<(?:\/?[a-z]*|\/?details\b[^>]*|details\b[^>]*>\s*(?:<(?:s[a-z]*|summary>(?:(?!<\/summary)[\s\S])*)?)?)$/i

/**
 * Splits a block of HTML into tags of details and Markdown; nothing without details.
 *
 * Apps could not open details without a summary.
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

/** Omits a possible tag of details at the end of a growing block of HTML. */
export function withoutHalfDetails(html: string): string {
  return html.replace(HALF_DETAILS, '')
}
