import type { RichText } from 'grammy/types'
import { badRequest } from '../wire/envelope.ts'
import { literalTag, type RichContext } from './context.ts'
import { isBlockTag, type Tag } from './html-tags.ts'
import { toEmoji, toLink, toTime } from './links.ts'
import { joinText, visibleText } from './rich-text.ts'

export type Mark = '==' | '||'

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
  'tg-spoiler': 'spoiler',
} as const
const OTHER_NAMES = ['a', 'tg-emoji', 'tg-reference', 'tg-time']
/** Real tags of rich messages that the playground refuses, so that nothing is lost in silence. */
const NOT_BUILT =
  /^(audio|figcaption|figure|img|input|li|ol|pre|table|tg-(button|button-row|collage|document|map|math|math-block|slideshow)|ul|video)$/

/** Something begun and not yet ended; the outermost one is the text itself. */
interface Frame {
  opener?: Mark | Tag
  parts: RichText[]
}

/** Pairs the tags and the marks of one text. A mark without its other half is plain characters. */
export function createInlineFrames(context: RichContext) {
  const outermost: Frame = { parts: [] }
  const frames: Frame[] = [outermost]
  const top = () => frames.at(-1) ?? outermost
  return { add, mark, tag, end }

  function add(text: RichText): void {
    top().parts.push(text)
  }

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

  /** A tag that rich messages do not have is dropped, the text in it stays. */
  function tag(found: Tag): void {
    const { name, isEnd, isClosed } = found
    if (NOT_BUILT.test(name)) {
      throw badRequest(`the playground does not build <${name}> in rich Markdown`)
    }
    if (name === 'br') add('\n')
    else if (isBlockTag(found)) add(literalTag(found, context))
    else if (isInlineTag(found)) {
      if (isEnd) close(found)
      else if (isClosed) add(toTagRun(found, ''))
      else frames.push({ opener: found, parts: [] })
    }
  }

  function close(found: Tag): void {
    const depth = frames.findLastIndex(({ opener }) => typeof opener === 'object')
    const opener = frames[depth]?.opener
    if (typeof opener === 'object' && opener.name === found.name) {
      flattenAbove(depth)
      add(toTagRun(opener, joinText(frames.pop()?.parts ?? [])))
    } else add(literalTag(found, context))
  }

  function end(): RichText {
    flattenAbove(0)
    return joinText(outermost.parts)
  }

  /** Turns frames that were begun inside and never ended into plain characters. */
  function flattenAbove(depth: number): void {
    for (const { opener = '', parts } of frames.splice(depth + 1)) {
      add(typeof opener === 'object' ? literalTag(opener, context) : opener)
      for (const part of parts) add(part)
    }
  }
}

/** Checks whether the tag formats the text in it. */
export function isInlineTag({ name }: Pick<Tag, 'name'>): boolean {
  return Object.hasOwn(STYLES, name) || OTHER_NAMES.includes(name)
}

/** Makes the stretch of text that a tag stands for. */
export function toTagRun({ name, attributes }: Tag, text: RichText): RichText {
  const style = STYLES[name as keyof typeof STYLES]
  if (style) return { type: style, text }
  switch (name) {
    case 'a': {
      const anchor = attributes.get('name')
      if (anchor !== undefined) return [{ type: 'anchor', name: anchor }, text]
      return toLink(text, attributes.get('href') ?? '')
    }
    case 'tg-emoji':
      return toEmoji(visibleText(text), attributes.get('emoji-id'))
    case 'tg-time':
      return toTime(text, attributes.get('unix'), attributes.get('format'))
    default:
      return { type: 'reference', text, name: attributes.get('name') ?? '' }
  }
}
