import { signal } from '@preact/signals'
import type { WireMessage } from '../../../web/api.ts'
import type { ChatState } from '../../state/chat-state.ts'

/** The messages that a menu is about. */
export interface MenuTarget {
  chat: ChatState
  threadId: number
  /** One message, or those of an album. */
  wires: readonly WireMessage[]
  isOwn: boolean
}

/** An open menu: its position in the page, and the selected part of its message. */
export interface OpenedMenu extends MenuTarget {
  x: number
  y: number
  selection: string
  /** The element that the keyboard goes back to. */
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

/** Returns the selected part of a message, if nothing beside it is selected. */
function selectionIn(bubble: HTMLElement): string {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed) return ''
  const { anchorNode, focusNode } = selection
  const isInside = bubble.contains(anchorNode) && bubble.contains(focusNode)
  return isInside ? selection.toString().trim() : ''
}
