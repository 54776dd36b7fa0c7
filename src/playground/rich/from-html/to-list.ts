import type { RichBlock, RichBlockListItem } from 'grammy/types'
import { isListType, labelOf } from '../list-labels.ts'
import { elementsIn, type HtmlElement, type HtmlNode } from './read-tree.ts'

/** Makes a list of `ul` or `ol`. @throws {ApiError} For anything in it but `li`. */
export function toList(
  { tag, children }: HtmlElement,
  toBlocks: (nodes: readonly HtmlNode[]) => RichBlock[],
): RichBlock {
  const elements = elementsIn(children, ['li'])
  if (tag.name === 'ul') return { type: 'list', items: elements.map(toItem) }
  const step = tag.attributes.has('reversed') ? -1 : 1
  let next = intOf(tag, 'start') ?? (step > 0 ? 1 : elements.length)
  const items = elements.map((element): RichBlockListItem => {
    const value = intOf(element.tag, 'value') ?? next
    const given = element.tag.attributes.get('type') ?? tag.attributes.get('type')
    const type = isListType(given) ? given : '1'
    next = value + step
    return { ...toItem(element), label: labelOf(value, type), value, type }
  })
  return { type: 'list', items }

  function toItem(item: HtmlElement): RichBlockListItem {
    const box = item.children.map(boxOf).find((attributes) => attributes !== undefined)
    const blocks = toBlocks(item.children.filter((node) => boxOf(node) === undefined))
    return {
      label: '•',
      blocks,
      ...(box && { has_checkbox: true }),
      ...(box?.has('checked') && { is_checked: true }),
    }
  }
}

/** The attributes of a checkbox. */
function boxOf(node: HtmlNode): HtmlElement['tag']['attributes'] | undefined {
  if (typeof node === 'string' || node.tag.name !== 'input') return undefined
  return node.tag.attributes.get('type') === 'checkbox' ? node.tag.attributes : undefined
}

function intOf({ attributes }: HtmlElement['tag'], name: string): number | undefined {
  const text = attributes.get(name) ?? ''
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined
}
