import { computed, signal } from '@preact/signals'
import { chatsInOrder } from '../state/chats.ts'
import { titleOf } from '../state/names.ts'

/** The words that the person looks for in the names of chats. */
export const sought = signal('')

/** The chats that are called so, the liveliest first; all, while nothing is looked for. */
export const found = computed(() => {
  const words = sought.value.trim().toLowerCase()
  return chatsInOrder.value.filter(({ info }) =>
    titleOf(info.value.chat).toLowerCase().includes(words),
  )
})

/** How often the field was asked for, by a key. */
export const searchCalls = signal(0)
