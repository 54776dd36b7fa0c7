import type { RichText } from 'grammy/types'
import type { Image, Link, PhrasingContent } from 'mdast'
import { badRequest } from '../wire/envelope.ts'
import type { RichContext } from './context.ts'
import { detectNames } from './detect.ts'
import { restoreEscapes, showEscapes } from './escapes.ts'
import { splitHtml } from './html-tags.ts'
import { createInlineFrames, type Mark } from './inline-frames.ts'
import { toImage, toLink } from './links.ts'

const MARKS = /(?<!=)==(?!=)|(?<!\|)\|\|(?!\|)/g

/** Turns the inside of a paragraph, heading or cell into rich text. Lines are joined by spaces. */
export function toRichText(nodes: readonly PhrasingContent[], context: RichContext): RichText {
  const frames = createInlineFrames(context)
  nodes.forEach((node, index) => {
    if (node.type === 'text') addText(node.value, index)
    else if (node.type === 'html') addHtml(node.value)
    else frames.add(toRun(node, context))
  })
  return frames.end()

  function addText(value: string, index: number): void {
    let position = 0
    for (const match of value.matchAll(MARKS)) {
      addPlain(value.slice(position, match.index))
      position = match.index + match[0].length
      const before = value[match.index - 1] ?? (index > 0 ? 'a' : ' ')
      const after = value[position] ?? (index < nodes.length - 1 ? 'a' : ' ')
      frames.mark(match[0] as Mark, { canOpen: /\S/.test(after), canClose: /\S/.test(before) })
    }
    addPlain(value.slice(position))
  }

  function addPlain(value: string): void {
    const text = showEscapes(value).replace(/ *\n */g, ' ')
    frames.add(context.skipEntityDetection ? text : detectNames(text))
  }

  function addHtml(html: string): void {
    for (const piece of splitHtml(restoreEscapes(html))) {
      if (typeof piece === 'string') frames.add(piece)
      else frames.tag(piece)
    }
  }
}

type Run = Exclude<PhrasingContent, { type: 'text' | 'html' }>

function toRun(node: Run, context: RichContext): RichText {
  switch (node.type) {
    case 'strong':
      return { type: 'bold', text: toRichText(node.children, context) }
    case 'emphasis':
      return { type: 'italic', text: toRichText(node.children, context) }
    case 'delete':
      return { type: 'strikethrough', text: toRichText(node.children, context) }
    case 'inlineCode':
      return { type: 'code', text: restoreEscapes(node.value, context.isInTable) }
    case 'inlineMath':
      return { type: 'mathematical_expression', expression: restoreEscapes(node.value) }
    case 'break':
      return '\n'
    case 'link':
      return toLinkOrText(node, context)
    case 'linkReference': {
      const url = context.definitions.get(node.identifier)?.url ?? ''
      return toLink(toRichText(node.children, context), showEscapes(url))
    }
    case 'image':
      return imageOf(node.alt, node.url)
    case 'imageReference':
      return imageOf(node.alt, context.definitions.get(node.identifier)?.url ?? '')
    case 'footnoteReference': {
      const name = node.label ?? node.identifier
      return { type: 'reference_link', text: name, reference_name: name }
    }
    default:
      throw badRequest('RICH_MESSAGE_MARKDOWN_INVALID')
  }
}

function imageOf(alt: Image['alt'], url: string): RichText {
  return toImage(showEscapes(alt ?? ''), showEscapes(url))
}

/** A bare address is a link to the parser already, but only detection makes it one in a message. */
function toLinkOrText(node: Link, context: RichContext): RichText {
  const startsAt = node.position?.start.offset
  const isBare = startsAt === undefined || !/[[<]/.test(context.source.charAt(startsAt))
  const text = toRichText(node.children, { ...context, skipEntityDetection: true })
  return isBare && context.skipEntityDetection ? text : toLink(text, showEscapes(node.url))
}
