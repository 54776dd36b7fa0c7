import type { Nodes, Root, Text } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from '../../../platform/math-syntax.ts'
import { bracketFormulas } from './bracket-formulas.ts'
import { dollarFormulas } from './dollar-formulas.ts'
import { maskInnerFences } from './inner-fences.ts'
import { lenientBold } from './lenient-bold.ts'
import { isMasked, maskCostly, unmask } from './mask-costly.ts'
import { readPlainParagraphs } from './plain-paragraphs.ts'

const LITERAL_LINKS = new Set(['emailAutolink', 'protocolAutolink', 'wwwAutolink'])

// A single tilde is how prose says "about": `~5` is no strikethrough.
const GITHUB = gfm({ singleTilde: false })
const GITHUB_WITHOUT_LINKS = withoutLiteralLinks(GITHUB)
const MODEL_RULES = [dollarFormulas(), bracketFormulas(), lenientBold()]
const TELEGRAM_RULES = [math()]
// A second search for links, in the finished tree, would leave its texts without their positions.
const mdastExtensions = [
  ...gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] })),
  mathFromMarkdown(),
]

/** A text with its tree. */
export interface ParsedText {
  text: string
  root: Root
}

/** Far more than Telegram takes, and far less than the stack does. */
const DEPTH_MAX = 100

/**
 * Parses GitHub Flavored Markdown with formulas. Every text has a tree.
 *
 * Of signs that would take absurdly long only the first ones mean something. A text with absurdly deep
 * nesting becomes one paragraph of its source.
 *
 * @param isFromModel Whether it is read as models write it: prices and shell variables are text, TeX's signs enclose
 * formulas too. Else it is what the bot wrote for Telegram, which has each such sign behind a backslash.
 */
export function parseMarkdown(source: string, { isFromModel = true } = {}): Root {
  const mayHaveLinks = mayHaveLiteralLinks(source)
  const paragraphs = mayHaveLinks ? undefined : readPlainParagraphs(source)
  if (paragraphs !== undefined) return { type: 'root', children: paragraphs }
  try {
    const masked = maskSigns(source)
    const github = mayHaveLinks ? GITHUB : GITHUB_WITHOUT_LINKS
    const extensions = [github, ...(isFromModel ? MODEL_RULES : TELEGRAM_RULES)]
    const tree = fromMarkdown(masked, { extensions, mdastExtensions })
    if (isMasked(masked)) unmask(tree)
    return isDeeper(tree, DEPTH_MAX) ? asText(source) : tree
  } catch (error) {
    if (error instanceof RangeError) return asText(source)
    throw error
  }
}

/** Hides the signs from the parser that would take it too long or mislead it. None moves. */
export function maskSigns(source: string): string {
  return maskCostly(maskInnerFences(source))
}

export function parseText(text: string): ParsedText {
  return { text, root: parseMarkdown(text) }
}

function isDeeper(node: Nodes, depth: number): boolean {
  if (!('children' in node)) return false
  return depth === 0 || node.children.some((child) => isDeeper(child, depth - 1))
}

function asText(source: string): Root {
  const text: Text = { type: 'text', value: source }
  return { type: 'root', children: [{ type: 'paragraph', children: [text] }] }
}

/** Checks whether a text may have links without any signs around them. */
function mayHaveLiteralLinks(source: string): boolean {
  return source.includes('@') || source.includes('://') || source.toLowerCase().includes('www.')
}

/**
 * GitHub's rules without those for literal links, which cost most: the parser tries them at the start
 * of each word, and from there they look back for an open bracket.
 */
function withoutLiteralLinks({
  text = {},
  ...extension
}: ReturnType<typeof gfm>): ReturnType<typeof gfm> {
  const left: typeof text = {}
  for (const [code, constructs = []] of Object.entries(text)) {
    const others = [constructs].flat().filter(({ name = '' }) => !LITERAL_LINKS.has(name))
    if (others.length > 0) left[code] = others
  }
  return { ...extension, text: left }
}
