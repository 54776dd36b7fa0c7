import { useSignal } from '@preact/signals'
import type { ReplyKeyboardMarkup } from 'grammy/types'
import type { FieldMarkup } from './keyboard-of.ts'

/** The bot's keyboard, if there is one, and whether it shows. */
export interface Keys {
  keyboard: ReplyKeyboardMarkup | undefined
  isOpen: boolean
  toggle: () => void
}

/** Shows a keyboard until it was used once, if once is enough; the person may hide it and bring it back. */
export function useKeys(markup: FieldMarkup | undefined): Keys {
  /** The person's choice for the keyboard of one message; the next keyboard begins without one. */
  const choice = useSignal<{ messageId: number; isUsed: boolean; isOpen: boolean } | undefined>(
    undefined,
  )
  const isChosen =
    choice.value?.messageId === markup?.messageId && choice.value?.isUsed === markup?.isUsed
  const isOpen = isChosen ? choice.value?.isOpen === true : markup?.isUsed === false
  return { keyboard: markup?.keyboard, isOpen, toggle }

  function toggle(): void {
    if (markup === undefined) return
    const { messageId, isUsed } = markup
    choice.value = { messageId, isUsed, isOpen: !isOpen }
  }
}
