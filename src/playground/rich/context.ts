import type { Definition, RootContent } from 'mdast'
import { badRequest } from '../wire/envelope.ts'
import type { Tag } from './html-tags.ts'

/**
 * What becomes of a tag without its other half. Telegram's own choice is unknown; `reject` makes
 * callers have an answer to a refusal.
 */
export type UnclosedHtml = 'reject' | 'literal'

export interface RichOptions {
  unclosedHtml: UnclosedHtml
  /** Leaves plain links, mentions and commands alone. */
  skipEntityDetection: boolean
}

/** What the conversion of one message knows everywhere. */
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

/** Real tags of rich messages that the playground refuses, so that nothing is lost in silence. */
const NOT_BUILT =
  /^(audio|figcaption|figure|img|input|li|ol|pre|table|tg-(button|button-row|collage|document|map|math|math-block|slideshow)|ul|video)$/

export function checkBuilt({ name }: Tag): void {
  if (NOT_BUILT.test(name)) {
    throw badRequest(`the playground does not build <${name}> in rich Markdown`)
  }
}
