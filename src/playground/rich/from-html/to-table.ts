import type { RichBlock, RichBlockTableCell, RichText } from 'grammy/types'
import { elementsIn, type HtmlElement, type HtmlNode } from './read-tree.ts'

const ALIGNS = ['left', 'center', 'right'] as const
const VALIGNS = ['top', 'middle', 'bottom'] as const

/** Makes a table. @throws {ApiError} For anything in it but rows of cells, and a caption. */
export function toTable(
  { tag, children }: HtmlElement,
  toText: (nodes: readonly HtmlNode[]) => RichText,
): RichBlock {
  const elements = elementsIn(children, ['tr', 'caption'])
  const captions = elements.filter((element) => element.tag.name === 'caption')
  const caption = toText(captions.flatMap((element) => element.children))
  const rows = elements.filter((element) => element.tag.name === 'tr')
  return {
    type: 'table',
    cells: rows.map((row) => elementsIn(row.children, ['td', 'th']).map(toCell)),
    ...(tag.attributes.has('bordered') && { is_bordered: true }),
    ...(tag.attributes.has('striped') && { is_striped: true }),
    ...(tag.attributes.has('compact') && { is_compact: true }),
    ...(caption !== '' && { caption }),
  }

  function toCell({ tag: { name, attributes }, children: inside }: HtmlElement) {
    const text = toText(inside)
    const colspan = spanOf(attributes.get('colspan'))
    const rowspan = spanOf(attributes.get('rowspan'))
    const cell: RichBlockTableCell = {
      ...(text !== '' && { text }),
      ...(name === 'th' && { is_header: true }),
      ...(colspan > 1 && { colspan }),
      ...(rowspan > 1 && { rowspan }),
      align: ALIGNS.find((align) => align === attributes.get('align')) ?? 'left',
      valign: VALIGNS.find((valign) => valign === attributes.get('valign')) ?? 'middle',
    }
    return cell
  }
}

function spanOf(text = ''): number {
  return /^\d{1,4}$/.test(text) ? Number(text) : 1
}
