import type { PhrasingContent } from 'mdast'
import { isAcceptedUrl } from './links.ts'

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

/** The content of a paragraph with its tags paired. */
export type Inline =
  | Exclude<PhrasingContent, { type: InlineSpan['type'] | 'link' }>
  | InlineSpan
  | InlineLink

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
const LINK_TAG = /(<a\s[^>]*>|<\/a\s*>)/gi

/** The tags without attributes that mean something. Any other one but that of a link is text. */
export const TAG_NAMES: readonly string[] = [...Object.keys(SPAN_TYPES), 'br']

interface Frame {
  name: string
  source: string
  url?: string | undefined
  children: Inline[]
}

/**
 * Pairs the tags among the children of a node. A tag that is unknown, has no partner, or has
 * attributes and is no link becomes text.
 *
 * @param closesOpen Whether a tag without its end is ended after the last child.
 */
export function pairTags(
  nodes: readonly Inline[],
  { closesOpen }: { closesOpen: boolean },
): Inline[] {
  if (!nodes.some(({ type }) => type === 'html')) return [...nodes]
  const bottom: Frame = { name: '', source: '', children: [] }
  const frames = [bottom]
  for (const node of nodes) {
    if (node.type === 'html') takeTag(node.value)
    else push(node)
  }
  while (frames.length > 1) closesOpen ? endTop() : abandonTop()
  return bottom.children

  function takeTag(source: string): void {
    const { name, isEnd, url } = readTag(source)
    const opened = isEnd ? frames.findLastIndex((frame) => frame.name === name) : -1
    if (name === 'br') push({ type: 'break' })
    else if (name !== undefined && !isEnd) frames.push({ name, source, url, children: [] })
    else if (name !== undefined && opened > 0) {
      while (frames.length - 1 > opened) abandonTop()
      endTop()
    } else push({ type: 'text', value: source })
  }

  function push(...children: Inline[]): void {
    frames.at(-1)?.children.push(...children)
  }

  function endTop(): void {
    const { name = '', url, children = [] } = frames.pop() ?? {}
    if (url !== undefined) push({ type: 'link', url, children })
    const type = SPAN_TYPES[name]
    if (type) push({ type, children })
  }

  function abandonTop(): void {
    const frame = frames.pop()
    if (frame) push({ type: 'text', value: frame.source }, ...frame.children)
  }
}

/** Splits a block of HTML at the tags of its links, so that `pairTags()` finds them. */
export function splitAtLinks(html: string): Inline[] {
  return html
    .split(LINK_TAG)
    .map((value, index) => ({ type: index % 2 === 1 ? 'html' : 'text', value }))
}

function readTag(source: string): { name: string | undefined; isEnd: boolean; url?: string } {
  const [, ...values] = LINK.exec(source) ?? []
  const url = values.join('').replaceAll('&amp;', '&')
  if (isAcceptedUrl(url)) return { name: 'a', isEnd: false, url }
  if (/^<\/a\s*>$/i.test(source)) return { name: 'a', isEnd: true }
  const [, slash, tag = '', end] = /^<(\/?)([a-z]+)\s*(\/?>)$/i.exec(source) ?? []
  const name = tag.toLowerCase()
  const isBare = TAG_NAMES.includes(name) && (end === '>' || name === 'br')
  return { name: isBare ? name : undefined, isEnd: slash === '/' }
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
