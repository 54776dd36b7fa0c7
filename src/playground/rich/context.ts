import type { Definition, RootContent } from 'mdast'
import { badRequest } from '../wire/envelope.ts'
import type { Tag } from './html-tags.ts'

/**
 * The treatment of a tag without its other half. Telegram's own choice is unknown; `reject` makes
 * callers have an answer to a refusal.
 */
export type UnclosedHtml = 'reject' | 'literal'

export interface RichOptions {
  unclosedHtml: UnclosedHtml
  /** Leaves plain links, mentions and commands alone. */
  skipEntityDetection: boolean
  /** Drafts may show that the bot thinks. */
  isDraft: boolean
}

/** Everything that each step of one message's conversion knows. */
export interface RichContext extends RichOptions {
  /** The Markdown that was parsed, escapes hidden. */
  source: string
  definitions: ReadonlyMap<string, Definition>
  /** Parses a piece of text that stood between tags. */
  parsePiece(markdown: string): { nodes: RootContent[]; source: string }
  isInTable?: boolean
}

/** Decides about a tag without its other half. */
export function literalTag(tag: Tag, { unclosedHtml }: RichContext): string {
  if (unclosedHtml === 'reject') throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
  return tag.source
}
