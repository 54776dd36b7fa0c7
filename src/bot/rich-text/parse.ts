import type { Nodes, Root } from 'mdast'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { gfmFromMarkdown } from 'mdast-util-gfm'
import { mathFromMarkdown } from 'mdast-util-math'
import { gfm } from 'micromark-extension-gfm'
import { math } from '../../platform/math-syntax.ts'
import { maskSigns, unmask } from './masks.ts'

export interface ParsedText {
  text: string
  root: Root
}

// A micromark extension, by the names of micromark's own types.
type Extension = ReturnType<typeof math>
type Construct = Exclude<NonNullable<Extension['text']>[string], readonly unknown[] | undefined>
type Tokenizer = Construct['tokenize']
type Code = Parameters<NonNullable<ReturnType<Tokenizer>>>[0]
type Context = ThisParameterType<Tokenizer>

// In prose a single tilde means "about": `~5` is no strikethrough.
const TELEGRAM_RULES = [gfm({ singleTilde: false }), math()]
/** References need the whole text, but a message shows a part: they and footnotes stay text. */
const REFERENCES = [
  ...['definition', 'gfmFootnoteDefinition', 'gfmFootnoteCall', 'gfmPotentialFootnoteCall'],
]
/** The slowest rules: the parser tries them at each word, and searches back for an open bracket. */
const LITERAL_LINKS = ['emailAutolink', 'protocolAutolink', 'wwwAutolink']
const MAY_HAVE_LITERAL_LINKS = /@|:\/\/|www\./i
// A second search for links in the finished tree would lose the positions of their texts.
const mdastExtensions = [
  ...gfmFromMarkdown().map((extension) => ({ ...extension, transforms: [] })),
  mathFromMarkdown(),
]
/** Far beyond Telegram's limit, and far below the stack's. */
const DEPTH_MAX = 100

/**
 * Parses GitHub Flavored Markdown with formulas, without references.
 *
 * Never throws: absurdly deep nesting becomes one paragraph of its source.
 *
 * @param isFromModel Reads prices and shell variables as text, and TeX's signs as formulas. False for the bot's own
 * Markdown for Telegram, which escapes each such sign.
 */
export function parseMarkdown(source: string, { isFromModel = true } = {}): Root {
  const text = maskSigns(source, { isFromModel })
  const literalLinks = MAY_HAVE_LITERAL_LINKS.test(source) ? [] : LITERAL_LINKS
  const rules = isFromModel ? [...TELEGRAM_RULES, LENIENT_BOLD] : TELEGRAM_RULES
  const extensions = [...rules, { disable: { null: [...REFERENCES, ...literalLinks] } }]
  try {
    const root = fromMarkdown(text, { extensions, mdastExtensions })
    if (text !== source) unmask(root, { source, text })
    return isDeeper(root, DEPTH_MAX) ? asText(source) : root
  } catch (error) {
    if (error instanceof RangeError) return asText(source)
    throw error
  }
}

function isDeeper(node: Nodes, depth: number): boolean {
  if (!('children' in node)) return false
  return depth === 0 || node.children.some((child) => isDeeper(child, depth - 1))
}

function asText(value: string): Root {
  return { type: 'root', children: [{ type: 'paragraph', children: [{ type: 'text', value }] }] }
}

const ASTERISK = 42
/** Punctuation after which `**` between a sign and a letter opens bold: `(**kwargs`, `=**b`, `src/**a`. */
const BEFORE_OPENING = /[\p{Ps}\p{Pi}/\\=@#&<_~|*]/u
/** Brackets and quotation marks of scripts without blanks around bold. ASCII's are calls: `x**(a)`. */
const OPENING = /(?!\p{ASCII})[\p{Ps}\p{Pi}]/u
const SIGN = /[\p{P}\p{S}]/u

/**
 * Rules of bold between asterisks, with two habits of models: an end in punctuation before a letter, as in
 * `**Note:**text`, and a beginning with a quotation mark after a letter, in Chinese.
 */
const LENIENT_BOLD: Extension = {
  text: {
    [ASTERISK]: {
      name: 'lenientBold',
      tokenize(effects, ok, nok) {
        const { previous } = this
        const end = (next: Code) => {
          const sequence = this.events.at(-1)?.[1]
          if (sequence) widen(sequence, toCharacter(previous), toCharacter(next))
          return ok(next)
        }
        return emphasisOf(this).tokenize.call(this, effects, end, nok)
      },
      resolveAll: (events, context) => emphasisOf(context).resolveAll?.(events, context) ?? events,
    },
  },
}

/** CommonMark's own rules for the same sign, which decide all other cases. */
function emphasisOf(context: Context): Construct {
  const constructs = [context.parser.constructs.text?.[ASTERISK] ?? []].flat()
  const found = constructs.find(({ name }) => name === 'attention')
  if (found === undefined) throw new Error('the parser has no rules for emphasis')
  return found
}

/** Returns nothing for a blank and for the end of a line or a text. */
function toCharacter(code: Code): string {
  return code === null || code < 0 ? '' : String.fromCharCode(code).trim()
}

function widen(sequence: Context['events'][number][1], before: string, after: string): void {
  if (sequence.end.offset - sequence.start.offset < 2 || before === '' || after === '') return
  if (SIGN.test(before)) {
    if (!SIGN.test(after) && !BEFORE_OPENING.test(before)) sequence._close = true
  } else if (OPENING.test(after)) sequence._open = true
}
