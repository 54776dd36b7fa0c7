import { signal } from '@preact/signals'
import type { WireMessage } from '../../../web/api.ts'
import type { ChatState } from '../../state/chat-state.ts'

/** What a menu is about. */
export interface MenuTarget {
  chat: ChatState
  threadId: number
  /** One message, or those of an album. */
  wires: readonly WireMessage[]
  isOwn: boolean
}

/** Where it opens, in the page, and what of the message is selected. */
export interface OpenedMenu extends MenuTarget {
  x: number
  y: number
  selection: string
  /** What the keyboard goes back to. */
  from: HTMLElement
}

/** The menu that is open. */
export const openedMenu = signal<OpenedMenu | undefined>(undefined)

/** Opens the menu of a message. */
export function openMenu(
  target: MenuTarget,
  { x, y, from }: Pick<OpenedMenu, 'x' | 'y' | 'from'>,
): void {
  openedMenu.value = { ...target, x, y, from, selection: selectionIn(from) }
}

/** What is selected of a message, if nothing beside it is. */
function selectionIn(bubble: HTMLElement): string {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed) return ''
  const { anchorNode, focusNode } = selection
  const isInside = bubble.contains(anchorNode) && bubble.contains(focusNode)
  return isInside ? selection.toString().trim() : ''
}
