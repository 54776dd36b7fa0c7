import type { Html, RootContent } from 'mdast'
import { type DetailsToken, readDetails, withoutHalfDetails } from '../parse/details-tags.ts'
import { parseMarkdown } from '../parse/parse-markdown.ts'
import { type BlockContext, toInlineContext, writeBlock } from '../write/write-blocks.ts'
import { writeInline } from '../write/write-inline.ts'
import { writeTextLines } from '../write/write-text.ts'
import { writeBounded } from './bounded-block.ts'

/** A tag of details in Telegram's Markdown, or what stands between such tags. */
export type DetailsPart =
  | { type: 'open'; markdown: string }
  | { type: 'close' }
  | { type: 'content'; markdown: string; blocks: number }

/** Telegram takes 16 levels of blocks, and those of other kinds have 12. */
const NESTED_MAX = 3
const NOTHING = '…'

/**
 * Writes a block of HTML that has tags of details.
 *
 * @returns Nothing where it has none: it is shown as it is.
 */
export function writeDetails(node: RootContent, context: BlockContext): DetailsPart[] | undefined {
  if (node.type !== 'html') return undefined
  const html = isGrowing(node, context) ? withoutHalfDetails(node.value) : node.value
  const tokens = readDetails(html)
  if (tokens.length > 0) return tokens.map((token) => writeToken(token, context))
  return html === node.value ? undefined : []
}

function isGrowing({ position }: Html, { source, closesOpen }: BlockContext): boolean {
  return closesOpen && (position?.end.offset ?? 0) >= source.trimEnd().length
}

function writeToken(token: DetailsToken, context: BlockContext): DetailsPart {
  switch (token.type) {
    case 'open': {
      const summary = writeSummary(token.summary, context) || NOTHING
      const open = token.isOpen ? ' open' : ''
      return { type: 'open', markdown: `<details${open}><summary>${summary}</summary>` }
    }
    case 'close':
      return token
    case 'content': {
      const inside = { ...context, source: token.markdown, resumesAt: 0 }
      const written = parseMarkdown(token.markdown).children.map((node) =>
        writeBounded(node, context.definitions, () => writeBlock(node, inside)),
      )
      return {
        type: 'content',
        markdown: written.map(({ markdown }) => markdown).join('\n\n'),
        blocks: written.reduce((sum, { blocks }) => sum + blocks, 0),
      }
    }
  }
}

function writeSummary(summary: string, context: BlockContext): string {
  const [only, ...others] = parseMarkdown(summary).children
  if (only?.type !== 'paragraph' || others.length > 0) return writeTextLines(summary)
  const inside = { ...context, source: summary, resumesAt: 0 }
  return writeInline(only.children, { ...toInlineContext(inside), isOneLine: true }).trim()
}

/** Counts the blocks that Telegram counts. */
export function countDetailsBlocks(parts: readonly DetailsPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'content' ? part.blocks : 1), 0)
}

/**
 * Joins the blocks of one message. Details that it opens end in it at the latest, and an end of what an earlier
 * message opened, or nothing did, is left out.
 */
export function joinBlocks(
  blocks: readonly {
    markdown: string
    isTight: boolean
    details?: readonly DetailsPart[] | undefined
  }[],
): string {
  let joined = ''
  const opened: (number | undefined)[] = []
  for (const { markdown, isTight, details } of blocks) {
    if (details === undefined) add(markdown, isTight)
    else for (const part of details) addPart(part)
  }
  while (opened.length > 0) close()
  return joined

  function addPart(part: DetailsPart): void {
    if (part.type === 'content') add(part.markdown, false)
    else if (part.type === 'close') close()
    else if (opened.length >= NESTED_MAX) opened.push(undefined)
    else {
      add(part.markdown, false)
      opened.push(joined.length)
    }
  }

  function close(): void {
    const from = opened.pop()
    if (from === undefined) return
    if (joined.length === from) add(NOTHING, false)
    add('</details>', false)
  }

  function add(markdown: string, isTight: boolean): void {
    if (markdown === '') return
    joined += joined === '' ? markdown : `${isTight ? '\n' : '\n\n'}${markdown}`
  }
}
