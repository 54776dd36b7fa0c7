import type { Nodes } from 'mdast'
import { classOf } from './characters.ts'
import { isAcceptedUrl } from './link-url.ts'

/** The definitions and references of a text, by the identifiers in its tree. */
export interface Definitions {
  /** The addresses of references, as far as Telegram takes the link. The first definition of a name counts. */
  links: ReadonlyMap<string, string>
  footnotes: ReadonlySet<string>
  /** References to links and, after a `^`, to footnotes. A definition without any is shown as text. */
  references: ReadonlySet<string>
}

const DEFINITIONS_MAX = 200

export const NO_DEFINITIONS: Definitions = {
  links: new Map(),
  footnotes: new Set(),
  references: new Set(),
}

/** Collects what some trees define and refer to: `NO_DEFINITIONS` itself if it is nothing. */
export function collectDefinitions(nodes: readonly Nodes[]): Definitions {
  const links = new Map<string, string>()
  const footnotes = new Set<string>()
  const references = new Set<string>()
  for (const node of nodes) visit(node)
  const isEmpty = links.size + footnotes.size + references.size === 0
  return isEmpty ? NO_DEFINITIONS : { links, footnotes, references }

  function visit(node: Nodes): void {
    if (node.type === 'definition') {
      if (isAcceptedUrl(node.url) && !links.has(node.identifier))
        links.set(node.identifier, node.url)
    } else if (node.type === 'footnoteDefinition') {
      // Telegram's notes are text: one with code or a list in it is shown where it was written.
      const isText = node.children.every(({ type }) => type === 'paragraph')
      if (isText && isPlainName(node.identifier)) footnotes.add(node.identifier)
    } else if (node.type === 'linkReference' || node.type === 'imageReference') {
      references.add(node.identifier)
    } else if (node.type === 'footnoteReference') references.add(`^${node.identifier}`)
    if ('children' in node) for (const child of node.children) visit(child)
  }
}

function isPlainName(name: string): boolean {
  return [...name].every((character) => classOf(character) === 'word' || character === '-')
}

/** Puts definitions together. Of two of one name, the earlier counts. */
export function mergeDefinitions(all: readonly Definitions[]): Definitions {
  const filled = all.filter((definitions) => definitions !== NO_DEFINITIONS)
  if (filled.length < 2) return filled[0] ?? NO_DEFINITIONS
  const links = new Map(filled.toReversed().flatMap((definitions) => [...definitions.links]))
  return {
    links: new Map([...links].slice(-DEFINITIONS_MAX)),
    footnotes: new Set(filled.flatMap(({ footnotes }) => [...footnotes]).slice(0, DEFINITIONS_MAX)),
    references: new Set(filled.flatMap(({ references }) => [...references])),
  }
}

/** The same for definitions that are. */
export function keyOf(definitions: Definitions): string {
  if (definitions === NO_DEFINITIONS) return ''
  const { links, footnotes, references } = definitions
  return JSON.stringify([[...links].sort(), [...footnotes].sort(), [...references].sort()])
}

/** Writes Markdown that, in front of a text, makes the defined names known to the parser. */
export function writeStub({ links, footnotes }: Definitions): string {
  if (links.size + footnotes.size === 0) return ''
  const names = [...links.keys()].map((name) => `[${name}]: x`)
  const notes = [...footnotes].map((name) => `[^${name}]: x`)
  // The line ends the last note: the text after it is no part of that.
  return `${[...names, ...notes, '***'].join('\n\n')}\n`
}
