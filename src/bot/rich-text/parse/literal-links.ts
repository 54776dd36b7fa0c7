import type { gfm } from 'micromark-extension-gfm'

type Extension = ReturnType<typeof gfm>

const LITERAL_LINKS = new Set(['emailAutolink', 'protocolAutolink', 'wwwAutolink'])

/** Whether a text may have links in it that stand there as they are. */
export function mayHaveLiteralLinks(source: string): boolean {
  return source.includes('@') || source.includes('://') || source.toLowerCase().includes('www.')
}

/**
 * GitHub's rules without those for literal links: the parser tries them at the start of each word, and
 * they look back from there for an open bracket.
 */
export function withoutLiteralLinks({ text = {}, ...extension }: Extension): Extension {
  const left: typeof text = {}
  for (const [code, constructs = []] of Object.entries(text)) {
    const others = [constructs].flat().filter(({ name = '' }) => !LITERAL_LINKS.has(name))
    if (others.length > 0) left[code] = others
  }
  return { ...extension, text: left }
}
