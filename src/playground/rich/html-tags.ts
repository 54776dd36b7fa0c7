/** One tag of the HTML that rich Markdown may hold. */
export interface Tag {
  name: string
  isEnd: boolean
  /** Ends where it begins, as in `<a name="top"/>`. */
  isClosed: boolean
  attributes: ReadonlyMap<string, string>
  /** The tag as it was written. */
  source: string
}

const BLOCK_NAMES = /^(aside|blockquote|cite|details|footer|h[1-6]|hr|p|summary|tg-thinking)$/
const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g
const TAG_OR_COMMENT =
  /<!--[\s\S]*?-->|<(?<end>\/?)(?<name>[a-z][a-z0-9-]*)(?<rest>(?:\s[^<>]*?)?)(?<self>\/?)>/gi

/** Splits HTML into its tags and the texts between them. Comments are dropped. */
export function splitHtml(html: string): (Tag | string)[] {
  const pieces: (Tag | string)[] = []
  let position = 0
  for (const match of html.matchAll(TAG_OR_COMMENT)) {
    if (match.index > position) pieces.push(html.slice(position, match.index))
    position = match.index + match[0].length
    const { name, end, rest = '', self } = match.groups ?? {}
    if (name === undefined) continue
    pieces.push({
      name: name.toLowerCase(),
      isEnd: end === '/',
      isClosed: self === '/',
      attributes: readAttributes(rest),
      source: match[0],
    })
  }
  if (position < html.length) pieces.push(html.slice(position))
  return pieces
}

/** Checks whether the tag makes a block, or a part of one. */
export function isBlockTag({ name }: Pick<Tag, 'name'>): boolean {
  return BLOCK_NAMES.test(name)
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>()
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE)) {
    attributes.set(name.toLowerCase(), double ?? single ?? bare ?? '')
  }
  return attributes
}
