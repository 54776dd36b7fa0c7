import type { RichBlock, RichText } from 'grammy/types'
import { trimText } from './rich-text.ts'

/** Makes the paragraph of a text: none of white space alone, and of an anchor that stands alone the anchor. */
export function toTextBlocks(text: RichText): RichBlock[] {
  const trimmed = trimText(text)
  if (trimmed === '') return []
  const isAnchor = typeof trimmed === 'object' && 'type' in trimmed && trimmed.type === 'anchor'
  return isAnchor ? [trimmed] : [{ type: 'paragraph', text: trimmed }]
}
