import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from '../../platform/math-syntax.ts'
import { isMasked, maskSigns, unmask } from './masks.ts'
import { dollarFormulas, type Extension, lenientBold, writeTexAsDollars } from './model-rules.ts'

/** A text with its tree. */
export interface ParsedText {
  text: string
  root: Root
}

// A single tilde is how prose says "about": `~5` is no strikethrough.
const GITHUB = gfm({ singleTilde: false })
const LITERAL_LINKS = new Set(['emailAutolink', 'protocolAutolink', 'wwwAutolink'])
const GITHUB_WITHOUT_LINKS = withoutLiteralLinks(GITHUB)
const MODEL_RULES = [dollarFormulas(), lenientBold()]
const TELEGRAM_RULES = [math()]
// A second search for links, in the finished tree, would leave its texts without their positions.
const mdastExtensions = [
  ...gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] })),
  mathFromMarkdown(),
]
/** Far more than Telegram takes, and far less than the stack does. */
const DEPTH_MAX = 100

/**
 * Parses GitHub Flavored Markdown with formulas. Every text has a tree.
 *
 * Of signs that would take absurdly long only the first ones mean something. A text with absurdly deep
 * nesting becomes one paragraph of its source.
 *
 * @param isFromModel Whether it is read as models write it: prices and shell variables are text, TeX's signs enclose
 * formulas too. Else it is Markdown of the bot for Telegram, which has each such sign behind a backslash.
 */
export function parseMarkdown(source: string, { isFromModel = true } = {}): Root {
  const masked = maskSigns(source)
  const github = mayHaveLiteralLinks(source) ? GITHUB : GITHUB_WITHOUT_LINKS
  const extensions = [github, ...(isFromModel ? MODEL_RULES : TELEGRAM_RULES)]
  try {
    const root = isFromModel ? parseTex(masked, extensions) : parse(masked, extensions)
    if (isMasked(masked)) unmask(root)
    return isDeeper(root, DEPTH_MAX) ? asText(source) : root
  } catch (error) {
    if (error instanceof RangeError) return asText(source)
    throw error
  }
}

function parse(source: string, extensions: Extension[]): Root {
  return fromMarkdown(source, { extensions, mdastExtensions })
}

/** Parses a text with TeX's signs. If some of them turn out to be in code, it is parsed again without these. */
function parseTex(source: string, extensions: Extension[]): Root {
  const left = new Set<number>()
  for (let round = 0; round < 2; round++) {
    const { text, offsets } = writeTexAsDollars(source, left)
    const root = parse(text, extensions)
    if (offsets.length === 0) return root
    const formulas = new Set<number | undefined>()
    visit(root, (node) => {
      if (node.type === 'math' || node.type === 'inlineMath') {
        formulas.add(node.position?.start.offset)
      }
    })
    const wrong = offsets.filter((offset) => !formulas.has(offset))
    if (wrong.length === 0) return root
    for (const offset of wrong) left.add(offset)
  }
  return parse(source, extensions)
}

function visit(node: Nodes, see: (node: Nodes) => void): void {
  see(node)
  if ('children' in node) for (const child of node.children) visit(child, see)
}

function isDeeper(node: Nodes, depth: number): boolean {
  if (!('children' in node)) return false
  return depth === 0 || node.children.some((child) => isDeeper(child, depth - 1))
}

function asText(value: string): Root {
  return { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value }] }] }
}

/** Checks whether a text may have links without any signs around them. */
function mayHaveLiteralLinks(source: string): boolean {
  return /@|:\/\/|www\./i.test(source)
}

/**
 * GitHub's rules without those for literal links, which cost most: the parser tries them at the start
 * of each word, and from there they look back for an open bracket.
 */
function withoutLiteralLinks({ text = {}, ...extension }: Extension): Extension {
  const others = Object.entries(text).map(([code, constructs = []]) => [
    code,
    [constructs].flat().filter(({ name = '' }) => !LITERAL_LINKS.has(name)),
  ])
  return { ...extension, text: Object.fromEntries(others) }
}
