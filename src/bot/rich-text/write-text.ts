import { isPublicUrl } from '../../platform/http/url-guard.ts'
import { runLength } from './characters.ts'

/** The paragraphs of a longer text become lines: Telegram limits the blocks of a message. */
const TEXT_PARAGRAPHS_MAX = 100

/** The signs that mean something, most of them only in some places. A letter may follow the end of the text. */
const SIGNS = new RegExp(
  [
    '[\\\\`*_~[\\]$#|]|={2,}|^[>\\-+=:]',
    '<(?=[a-z/!?]|(?![^]))|&(?=[a-z\\d#]{1,32};)',
    '[.)](?<=^[ \\t]*\\d{1,10}.)(?=\\s|$)',
    // A text that is no link here must not become one.
    '\\.(?<=www.)|:(?=//)|@(?<=\\S@)',
  ].join('|'),
  'gim',
)

/** Where a text stands. */
export interface TextContext {
  isLineStart?: boolean
  isOneLine?: boolean
  isCell?: boolean
}

/**
 * Writes a text so that it means nothing but itself: neither in GitHub Flavored Markdown nor in
 * what Telegram's Markdown adds, as `==mark==`, `||spoiler||`, formulas and tags.
 *
 * Line breaks stay: each becomes a hard one, as a chat shows its lines as they were written. Blank
 * lines end a paragraph.
 */
export function escapeText(
  text: string,
  { isLineStart = false, isOneLine = false, isCell = false }: TextContext,
): string {
  const lines = (isLineStart ? text.replace(/^[ \t\r\n]+/, '') : text)
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/\s*\n[ \t\n]*/g, (gap) => {
      if (isOneLine) return ' '
      return gap.indexOf('\n') === gap.lastIndexOf('\n') ? '  \n' : '\n\n'
    })
  return lines.replaceAll(SIGNS, (sign, at: number) => {
    if (sign === '<') return '&lt;'
    if (sign === '&') return '&amp;'
    const isFirst = at === 0 ? isLineStart : lines.charAt(at - 1) === '\n'
    return isFirst || isMeant(sign, at) ? sign.replaceAll(/./g, '\\$&') : sign
  })

  /** Checks whether a sign means something inside of a line. Signs at the end of a heading are not shown. */
  function isMeant(sign: string, at: number): boolean {
    if (sign === '#') return isOneLine
    if (sign === '|') return isCell || lines.charAt(at - 1) === '|' || lines.charAt(at + 1) === '|'
    return !'>-+='.includes(sign) && (sign !== ':' || lines.startsWith('://', at))
  }
}

/** Writes plain text as Markdown that shows it, with its lines and paragraphs. */
export function writeTextLines(text: string): string {
  const written = escapeText(text, { isLineStart: true }).trim()
  const paragraphs = written.split('\n\n')
  return paragraphs.length > TEXT_PARAGRAPHS_MAX ? paragraphs.join('  \n') : written
}

/**
 * Returns the shortest row of backticks that the code has nowhere: nothing in the code can end it.
 *
 * @param charsMin 3 for a block of code.
 */
export function shortestFence(code: string, charsMin = 1): string {
  let chars = charsMin
  for (let at = code.indexOf('`'); at !== -1; at = code.indexOf('`', at)) {
    const length = runLength(code, at)
    chars = Math.max(chars, length + 1)
    at += length
  }
  return '`'.repeat(chars)
}

/** Writes a block of code. */
export function writeFenced(code: string, language = ''): string {
  const fence = shortestFence(code, 3)
  return `${fence}${language}\n${code}\n${fence}`
}

const URL_CHARS_MAX = 2048
const WEB = new Set(['http:', 'https:'])
const UNSAFE = /[\p{Cc}\s<>()\\"`|*$[\]^{}]/gu

/**
 * Checks whether a link is shown as one: a web page with a full address, an e-mail address, a number. Telegram
 * takes these. A link that leads into the reader's own machine or network is not the model's to offer.
 */
export function isAcceptedUrl(url: string): boolean {
  if (url.length > URL_CHARS_MAX || !URL.canParse(url) || !URL.canParse(writeUrl(url))) return false
  const { protocol, origin, pathname } = new URL(url)
  if (WEB.has(protocol)) return url.toLowerCase().startsWith(`${protocol}//`) && isPublicUrl(origin)
  if (protocol === 'tel:') return /^\+?[\d() -]{3,20}$/.test(pathname)
  return protocol === 'mailto:' && /^[\w.+-]{1,64}@[\w-]+(\.[\w-]+)+$/.test(pathname)
}

/** Writes a URL as the destination of a link: nothing in it can end the link or open a construct. */
export function writeUrl(url: string): string {
  return url.replaceAll('&', '&amp;').replaceAll(UNSAFE, toPercent)
}

function toPercent(character: string): string {
  if (!'()*'.includes(character)) return encodeURIComponent(character)
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`
}
