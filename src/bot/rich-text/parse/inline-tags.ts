import type { PhrasingContent } from 'mdast'

/** Formatted content: as signs or tags mark it, or as only tags can. */
export interface InlineSpan {
  type: 'strong' | 'emphasis' | 'delete' | 'u' | 'ins' | 'sub' | 'sup' | 'mark' | 'code'
  children: Inline[]
}

/** The content of a paragraph with its tags paired. */
export type Inline = Exclude<PhrasingContent, { type: InlineSpan['type'] }> | InlineSpan

const SPAN_TYPES: Readonly<Record<string, InlineSpan['type']>> = {
  b: 'strong',
  strong: 'strong',
  i: 'emphasis',
  em: 'emphasis',
  s: 'delete',
  strike: 'delete',
  del: 'delete',
  u: 'u',
  ins: 'ins',
  sub: 'sub',
  sup: 'sup',
  mark: 'mark',
  code: 'code',
}

/** The tags that mean something. Any other one is text. */
export const TAG_NAMES: readonly string[] = [...Object.keys(SPAN_TYPES), 'br']

interface Frame {
  name: string
  source: string
  children: Inline[]
}

/**
 * Pairs the tags among the children of a node. A tag that is unknown, has attributes or no partner
 * becomes text.
 *
 * @param closesOpen Whether a tag without its end is ended after the last child.
 */
export function pairTags(
  nodes: readonly Inline[],
  { closesOpen }: { closesOpen: boolean },
): Inline[] {
  if (!nodes.some(({ type }) => type === 'html')) return [...nodes]
  const bottom: Frame = { name: '', source: '', children: [] }
  const frames = [bottom]
  for (const node of nodes) {
    if (node.type === 'html') takeTag(node.value)
    else push(node)
  }
  while (frames.length > 1) closesOpen ? endTop() : abandonTop()
  return bottom.children

  function takeTag(source: string): void {
    const { name, isEnd } = readTag(source)
    const opened = isEnd ? frames.findLastIndex((frame) => frame.name === name) : -1
    if (name === 'br') push({ type: 'break' })
    else if (name !== undefined && !isEnd) frames.push({ name, source, children: [] })
    else if (name !== undefined && opened > 0) {
      while (frames.length - 1 > opened) abandonTop()
      endTop()
    } else push({ type: 'text', value: source })
  }

  function push(...children: Inline[]): void {
    frames.at(-1)?.children.push(...children)
  }

  function endTop(): void {
    const { name = '', children = [] } = frames.pop() ?? {}
    const type = SPAN_TYPES[name]
    if (type) push({ type, children })
  }

  function abandonTop(): void {
    const frame = frames.pop()
    if (frame) push({ type: 'text', value: frame.source }, ...frame.children)
  }
}

function readTag(source: string) {
  const [, slash, tag = '', end] = /^<(\/?)([a-z]+)\s*(\/?>)$/i.exec(source) ?? []
  const name = tag.toLowerCase()
  const isBare = TAG_NAMES.includes(name) && (end === '>' || name === 'br')
  return { name: isBare ? name : undefined, isEnd: slash === '/' }
}

/** The text of inline content without its formatting. */
export function toPlainInline(nodes: readonly Inline[]): string {
  return pairTags(nodes, { closesOpen: false }).map(toPlain).join('')
}

function toPlain(node: Inline): string {
  switch (node.type) {
    case 'text':
    case 'html':
    case 'inlineCode':
    case 'inlineMath':
      return node.value
    case 'break':
      return '\n'
    case 'image':
    case 'imageReference':
      return node.alt ?? ''
    case 'footnoteReference':
      return `[^${node.label ?? node.identifier}]`
    default:
      return toPlainInline(node.children)
  }
}
