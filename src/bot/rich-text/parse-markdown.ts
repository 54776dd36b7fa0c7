import type { Nodes, Root, Text } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from 'micromark-extension-math'
import { isDigit } from './characters.ts'
import { dollarsOfPrices } from './dollars-of-prices.ts'

const OPTIONS = {
  // A single tilde is how prose says "about": `~5` is no strikethrough.
  extensions: [gfm({ singleTilde: false }), math(), dollarsOfPrices()],
  // A second search for links, in the finished tree, would leave its texts without their positions.
  mdastExtensions: [
    ...gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] })),
    mathFromMarkdown(),
  ],
}

/** More than these in a stretch without a blank line is no prose, and takes more than some 50 ms. */
const PARAGRAPH_SIGNS_MAX = 600
/** More signs than that at the start of a line open no blocks that Telegram would take. */
const LINE_MARKERS_MAX = 200
const MARKERS = new Set('>-*+')

/** Far beyond what Telegram takes, and far from the end of the stack. */
const DEPTH_MAX = 100

/**
 * Parses GitHub Flavored Markdown with formulas. Every text has a tree.
 *
 * A text that is nested absurdly deep, or would take absurdly long, comes back as one paragraph of
 * its source.
 */
export function parseMarkdown(source: string): Root {
  if (isCostly(source)) return asText(source)
  try {
    const tree = fromMarkdown(source, OPTIONS)
    return isDeeper(tree, DEPTH_MAX) ? asText(source) : tree
  } catch (error) {
    if (error instanceof RangeError) return asText(source)
    throw error
  }
}

/**
 * The parser's time grows with the square of the signs of emphasis in one paragraph, and of the quotes
 * and items that one line opens.
 */
function isCostly(source: string): boolean {
  let signs = 0
  let markers = 0
  let isIndent = true
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at)
    if (character === '\n') {
      if (source.charAt(at + 1) === '\n') signs = 0
      markers = 0
      isIndent = true
    } else if (character === '*' || character === '_') {
      if (source.charAt(at - 1) !== character && ++signs > PARAGRAPH_SIGNS_MAX) return true
    }
    if (isIndent && character !== '\n' && character !== ' ' && character !== '\t') {
      const isMarker = MARKERS.has(character) || isDigit(character)
      if (isMarker && ++markers > LINE_MARKERS_MAX) return true
      isIndent = isMarker || character === '.' || character === ')'
    }
  }
  return false
}

function isDeeper(node: Nodes, depth: number): boolean {
  if (!('children' in node)) return false
  return depth === 0 || node.children.some((child) => isDeeper(child, depth - 1))
}

function asText(source: string): Root {
  const text: Text = { type: 'text', value: source }
  return { type: 'root', children: [{ type: 'paragraph', children: [text] }] }
}
