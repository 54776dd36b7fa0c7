import type { RichText } from 'grammy/types'
import { badRequest } from '../../wire/envelope.ts'
import { detectAll } from '../detect.ts'
import { isInlineTag, toTagRun } from '../inline-frames.ts'
import { toImage } from '../links.ts'
import { joinText } from '../rich-text.ts'
import { type HtmlElement, type HtmlNode, htmlInvalid } from './read-tree.ts'

export interface HtmlOptions {
  /** Leaves plain links, mentions and commands alone. */
  skipEntityDetection: boolean
}

/** Real tags of rich HTML that the playground refuses, so that nothing is lost in silence. */
const NOT_BUILT =
  /^(audio|figcaption|figure|video|tg-(button|button-row|collage|document|map|slideshow))$/

/** Entities found in a text do not reach into these. */
const CLOSED_NAMES = ['a', 'code', 'tg-emoji', 'tg-reference', 'tg-time']

/** Checks whether the tag belongs to a line of text. */
export function isTextTag(name: string): boolean {
  return isTextName(name) || NOT_BUILT.test(name)
}

function isTextName(name: string): boolean {
  return ['br', 'img', 'tg-math'].includes(name) || isInlineTag({ name })
}

/** Turns what stands in a line into rich text: white space is one space, as in a browser. */
export function toText(nodes: readonly HtmlNode[], options: HtmlOptions): RichText {
  const text = joinText(nodes.map((node) => toRun(node, options)))
  return Array.isArray(text) ? text.map(trimLines) : trimLines(text)
}

/** The text as it was written, for code and formulas. @throws {ApiError} For a tag in it. */
export function rawTextOf(nodes: readonly HtmlNode[]): string {
  return nodes.map((node) => (typeof node === 'string' ? node : failOn(node))).join('')
}

function toRun(node: HtmlNode, options: HtmlOptions): RichText {
  if (typeof node === 'string') {
    const text = node.replace(/[ \t\r\n\f]+/g, ' ')
    return options.skipEntityDetection ? text : detectAll(text)
  }
  const { tag, children } = node
  const { name, attributes } = tag
  if (NOT_BUILT.test(name)) throw badRequest(`the playground does not build <${name}> in rich HTML`)
  if (!isTextName(name)) throw htmlInvalid()
  if (name === 'br') return '\n'
  if (name === 'img') return toImage(attributes.get('alt') ?? '', attributes.get('src') ?? '')
  if (name === 'tg-math') {
    return { type: 'mathematical_expression', expression: rawTextOf(children).trim() }
  }
  const isClosed = options.skipEntityDetection || CLOSED_NAMES.includes(name)
  return toTagRun(tag, toText(children, { ...options, skipEntityDetection: isClosed }))
}

function trimLines(text: RichText): RichText {
  return typeof text === 'string' ? text.replace(/ *\n */g, '\n') : text
}

function failOn({ tag }: HtmlElement): never {
  throw badRequest(`the playground does not build <${tag.name}> in code and formulas of rich HTML`)
}
