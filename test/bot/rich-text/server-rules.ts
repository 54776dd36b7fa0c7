import type { Nodes, Table } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from 'micromark-extension-math'
import { parseRichMarkdown } from '../../../src/playground/content/parse-markdown.ts'

const BARE_TAG = /^<\/?(b|i|s|u|ins|sub|sup|mark|code)>$/
const SIGNS = /==|\|\||(?<!\\)\$|<[A-Za-z/!?]/
const ACCEPTED_URL = /^(https?:\/\/[^/]+|mailto:.+@.+|tel:.+)/i

function parseAsServer(markdown: string): Nodes {
  return fromMarkdown(markdown, {
    extensions: [gfm(), math()],
    mdastExtensions: [gfmFromMarkdown(), mathFromMarkdown()],
  })
}

/** Finds what Telegram would not take of a text, or would take for something else. */
export function findRefusals(markdown: string): string[] {
  if (markdown.trim() === '') return ['blank']
  const refusals = refusalsOfPlayground(markdown)
  let blocks = 0
  let chars = 0
  const tags: string[] = []
  const tree = parseAsServer(markdown)
  visit(tree, 0)
  if (tags.length > 0) refusals.push(`unclosed tags: ${tags.join()}`)
  if (blocks > 500) refusals.push(`${blocks} blocks`)
  if (chars > 32_768) refusals.push(`${chars} characters`)
  return refusals

  function visit(node: Nodes, depth: number): void {
    if (depth > 16) refusals.push('too deep')
    switch (node.type) {
      case 'html':
        takeTag(node.value)
        break
      case 'image':
      case 'imageReference':
      case 'linkReference':
      case 'definition':
        refusals.push(node.type)
        break
      case 'link':
        if (!ACCEPTED_URL.test(node.url)) refusals.push(`url ${node.url}`)
        break
      case 'table':
        checkTable(node)
        break
      case 'heading':
        if (node.children.length === 0) refusals.push('empty heading')
        break
      case 'code':
      case 'math':
      case 'inlineMath':
        if (node.value.trim() === '') refusals.push(`empty ${node.type}`)
        break
      case 'text':
        if (SIGNS.test(rawOf(node))) refusals.push(`signs in ${rawOf(node)}`)
        break
    }
    if ('value' in node) chars += [...node.value].length
    if (isBlock(node)) blocks++
    if ('children' in node) for (const child of node.children) visit(child, depth + 1)
  }

  function takeTag(tag: string): void {
    if (!BARE_TAG.test(tag)) refusals.push(`tag ${tag}`)
    else if (!tag.startsWith('</')) tags.push(tag.slice(1))
    else if (tags.pop() !== tag.slice(2)) refusals.push(`crossed ${tag}`)
  }

  function checkTable({ children }: Table): void {
    const columns = children.map((row) => row.children.length)
    if (Math.max(...columns) > 20) refusals.push('too many columns')
    if (new Set(columns).size > 1) refusals.push('uneven table')
  }

  function rawOf({ position }: Nodes): string {
    // Links that the parser finds in the finished tree have no position.
    if (position === undefined) return ''
    const raw = markdown.slice(position.start.offset, position.end.offset)
    return raw.replaceAll(/\\[=|<]/g, ' ')
  }
}

function refusalsOfPlayground(markdown: string): string[] {
  try {
    parseRichMarkdown(markdown)
    return []
  } catch (error) {
    return [error instanceof Error ? error.message : 'refused']
  }
}

function isBlock({ type }: Nodes): boolean {
  return ![
    'root',
    'text',
    'strong',
    'emphasis',
    'delete',
    'link',
    'break',
    'html',
    'inlineCode',
    'inlineMath',
    'tableCell',
    'footnoteReference',
  ].includes(type)
}

/** The letters and digits that a reader sees, in order. */
export function lettersOf(markdown: string): string {
  const seen: string[] = []
  visit(parseAsServer(markdown))
  return seen.join('').replaceAll(/[^\p{L}\p{N}]/gu, '')

  function visit(node: Nodes): void {
    if ('value' in node && !(node.type === 'html' && isTag(node.value))) seen.push(node.value)
    if ('alt' in node) seen.push(node.alt ?? '')
    if ('children' in node) for (const child of node.children) visit(child)
  }
}

function isTag(html: string): boolean {
  return /^<(\/?(b|strong|i|em|s|strike|del|u|ins|sub|sup|mark|code|br)|br\/|br \/)>$/i.test(html)
}

/** Checks whether another text has every character of this one, in its order. */
export function isWithin(part: string, whole: string): boolean {
  let at = 0
  for (const character of part) {
    at = whole.indexOf(character, at)
    if (at === -1) return false
    at += character.length
  }
  return true
}
