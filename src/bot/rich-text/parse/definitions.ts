import type { Nodes } from 'mdast'
import { classOf } from './characters.ts'
import { isAcceptedUrl } from './link-url.ts'

/** What the references of a text lead to. The first definition of a name counts. */
export interface Definitions {
  /** Where a reference leads to; missing if it leads nowhere that can be linked to. */
  urlOf(identifier: string): string | undefined
  hasFootnote(identifier: string): boolean
  /** Markdown that makes the names known to a parser. */
  readonly stub: string
  /** Whether the text refers to the name. What nobody refers to is shown where it stands. */
  isReferred(identifier: string): boolean
}

const DEFINITIONS_MAX = 200

export interface DefinitionSet {
  links: ReadonlyMap<string, string>
  footnotes: ReadonlySet<string>
  /** Names of links and, behind a `^`, of footnotes. */
  referred: ReadonlySet<string>
}

export const NO_DEFINITIONS: DefinitionSet = {
  links: new Map(),
  footnotes: new Set(),
  referred: new Set(),
}

/** What some trees define and refer to. */
export function collectDefinitions(nodes: readonly Nodes[]): DefinitionSet {
  const links = new Map<string, string>()
  const footnotes = new Set<string>()
  const referred = new Set<string>()
  for (const node of nodes) visit(node)
  const isEmpty = links.size + footnotes.size + referred.size === 0
  return isEmpty ? NO_DEFINITIONS : { links, footnotes, referred }

  function visit(node: Nodes): void {
    if (node.type === 'definition') {
      if (isAcceptedUrl(node.url) && !links.has(node.identifier))
        links.set(node.identifier, node.url)
    } else if (node.type === 'footnoteDefinition') {
      // Telegram's notes are text: one with code or a list in it stands where it was written.
      const isText = node.children.every(({ type }) => type === 'paragraph')
      if (isText && isPlainName(node.identifier)) footnotes.add(node.identifier)
    } else if (node.type === 'linkReference' || node.type === 'imageReference') {
      referred.add(node.identifier)
    } else if (node.type === 'footnoteReference') referred.add(`^${node.identifier}`)
    if ('children' in node) for (const child of node.children) visit(child)
  }
}

/** Puts sets together: of two definitions of a name, that of the earlier set counts. */
export function mergeDefinitions(sets: readonly DefinitionSet[]): DefinitionSet {
  const filled = sets.filter((set) => set !== NO_DEFINITIONS)
  if (filled.length < 2) return filled[0] ?? NO_DEFINITIONS
  const links = new Map(filled.toReversed().flatMap((set) => [...set.links]))
  return {
    links: new Map([...links].slice(-DEFINITIONS_MAX)),
    footnotes: new Set(filled.flatMap((set) => [...set.footnotes]).slice(0, DEFINITIONS_MAX)),
    referred: new Set(filled.flatMap((set) => [...set.referred])),
  }
}

/** Equal for sets that are. */
export function keyOf(set: DefinitionSet): string {
  if (set === NO_DEFINITIONS) return ''
  return JSON.stringify([
    [...set.links].sort(),
    [...set.footnotes].sort(),
    [...set.referred].sort(),
  ])
}

function isPlainName(name: string): boolean {
  return [...name].every((character) => classOf(character) === 'word' || character === '-')
}

/** The view of the writers and the parser on a set. */
export function toDefinitions({ links, footnotes, referred }: DefinitionSet): Definitions {
  const names = [...links.keys()].map((name) => `[${name}]: x`)
  const notes = [...footnotes].map((name) => `[^${name}]: x`)
  // The line ends the last note: what follows is none of its blocks.
  const isEmpty = names.length + notes.length === 0
  const stub = isEmpty ? '' : `${[...names, ...notes, '***'].join('\n\n')}\n`
  return {
    urlOf: (identifier) => links.get(identifier),
    hasFootnote: (identifier) => footnotes.has(identifier),
    stub,
    isReferred: (identifier) => referred.has(identifier),
  }
}
