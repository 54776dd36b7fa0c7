import type { RichBlock, RichBlockList, RichBlockListItem } from 'grammy/types'
import type { ComponentChildren } from 'preact'
import { words } from '../../words/language.ts'

/** A list with the labels that Telegram gave its items: bullets, numbers, letters, tasks. */
export function RichList({
  block: { items },
  show,
}: {
  block: RichBlockList
  /** Draws what an item holds. */
  show: (blocks: readonly RichBlock[]) => ComponentChildren
}) {
  const Tag = items.some(({ value }) => value !== undefined) ? 'ol' : 'ul'
  return (
    <Tag class="rich-list">
      {items.map((item, index) => (
        <li key={index}>
          <Label item={item} />
          <div class="rich-inside">{show(item.blocks)}</div>
        </li>
      ))}
    </Tag>
  )
}

function Label({ item }: { item: RichBlockListItem }) {
  if (item.has_checkbox !== true) return <span class="rich-label">{item.label}</span>
  const { taskDone, taskOpen } = words.value.message
  const isDone = item.is_checked === true
  return (
    <span
      class={isDone ? 'rich-task rich-task-done' : 'rich-task'}
      role="img"
      aria-label={isDone ? taskDone : taskOpen}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={isDone ? 'M4 8.4l2.6 2.6L12 5.4' : ''} />
      </svg>
    </span>
  )
}
