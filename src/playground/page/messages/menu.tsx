import { signal } from '@preact/signals'
import type { WireMessage } from '../../web/api.ts'
import { Icon, type IconName } from '../parts/icons.tsx'
import { Menu } from '../parts/menu.tsx'
import { attempt, toast } from '../parts/notices.tsx'
import { setIntent } from '../state/drafts.ts'
import { act } from '../state/request.ts'
import { words } from '../words/language.ts'
import { copyText } from './text.tsx'

interface MenuTarget {
  chatId: number
  threadId: number
  wires: readonly WireMessage[]
  isOwn: boolean
}

interface OpenedMenu extends MenuTarget {
  at: { x: number; y: number }
  selection: string
  /** The bubble, which gets the focus back. */
  from: HTMLElement
}

const openedMenu = signal<OpenedMenu | undefined>(undefined)

type On<E extends Event> = E & { currentTarget: HTMLElement }

/** Opens the menu of a message by the right button, the menu key or Enter; on a phone by a tap. */
export function menuHandlers(target: MenuTarget) {
  return {
    onClick(event: On<MouseEvent>): void {
      const { clientX: x, clientY: y, currentTarget } = event
      if (!matchMedia('(hover: none)').matches || isOnControl(event)) return
      openMenu(target, currentTarget, { x, y })
    },
    onContextMenu(event: On<MouseEvent>): void {
      // Links and media have a menu of the browser.
      if (isOnControl(event)) return
      event.preventDefault()
      const isByMouse = event.clientX > 0 || event.clientY > 0
      const at = { x: event.clientX, y: event.clientY }
      openMenu(target, event.currentTarget, isByMouse ? at : undefined)
    },
    onKeyDown(event: On<KeyboardEvent>): void {
      if (event.key !== 'Enter' || event.target !== event.currentTarget) return
      event.preventDefault()
      openMenu(target, event.currentTarget)
    },
  }
}

function isOnControl({ target }: Event): boolean {
  return target instanceof Element && target.closest('a, button, summary, video, audio') !== null
}

function openMenu(target: MenuTarget, from: HTMLElement, position?: OpenedMenu['at']): void {
  const box = from.getBoundingClientRect()
  const at = position ?? { x: box.left + 24, y: Math.max(box.top, 0) + 24 }
  openedMenu.value = { ...target, at, from, selection: selectionIn(from) }
}

function selectionIn(bubble: HTMLElement): string {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed) return ''
  const { anchorNode, focusNode } = selection
  const isInside = bubble.contains(anchorNode) && bubble.contains(focusNode)
  return isInside ? selection.toString().trim() : ''
}

export function OpenMenuButton({ target }: { target: MenuTarget }) {
  const label = words.value.message.actions
  return (
    <button
      type="button"
      class="bubble-more"
      tabIndex={-1}
      aria-label={label}
      title={label}
      aria-haspopup="menu"
      onClick={({ currentTarget: button }) => {
        const { left: x, bottom: y } = button.getBoundingClientRect()
        openMenu(target, button.closest<HTMLElement>('.bubble') ?? button, { x, y })
      }}
    >
      <Icon name="down" />
    </button>
  )
}

interface MenuItem {
  name: 'reply' | 'quote' | 'edit' | 'copySelected' | 'copy' | 'delete'
  icon: IconName
  act: () => void
}

function itemsOf({ chatId, threadId, wires, isOwn, selection, from }: OpenedMenu): MenuItem[] {
  const [wire] = wires
  if (wire === undefined) return []
  const thread = { chatId, threadId }
  const { text, caption, chat } = wire.message
  const all = text ?? caption ?? from.querySelector<HTMLElement>('.rich')?.innerText ?? ''
  const quoted = selection === '' ? undefined : wires.find((one) => canQuote(one, selection))
  const items: MenuItem[] = []
  const offer = (name: MenuItem['name'], icon: IconName, act: () => void) =>
    items.push({ name, icon, act })
  offer('reply', 'reply', () => setIntent(thread, { type: 'reply', message: wire }))
  if (quoted !== undefined) {
    const intent = { type: 'reply', message: quoted, quote: selection } as const
    offer('quote', 'quote', () => setIntent(thread, intent))
  }
  if (isOwn && text !== undefined) {
    offer('edit', 'edit', () => setIntent(thread, { type: 'edit', message: wire }))
  }
  if (selection !== '') offer('copySelected', 'copy', () => void copy(selection))
  if (all !== '') offer('copy', 'copy', () => void copy(all))
  // In a private chat everything can be deleted for both; elsewhere only own messages.
  if (isOwn || chat.type === 'private') {
    const ids = wires.map(({ message }) => message.message_id)
    offer('delete', 'trash', () => askToDelete(chatId, ids))
  }
  return items
}

/** A quote must be part of the message; of rich blocks only a single line certainly is. */
function canQuote({ message }: WireMessage, selection: string): boolean {
  const text = message.text ?? message.caption
  return text === undefined ? !selection.includes('\n') : text.includes(selection)
}

async function copy(text: string): Promise<void> {
  const isCopied = await copyText(text)
  const { copied, notCopied } = words.value.message
  toast(isCopied ? copied : notCopied, { isProblem: !isCopied })
}

export function MessageMenu() {
  const { message } = words.value
  const opened = openedMenu.value
  if (opened === undefined) return null
  const close = () => {
    openedMenu.value = undefined
  }
  return (
    <Menu role="menu" label={message.actions} at={opened.at} from={opened.from} onClose={close}>
      {itemsOf(opened).map(({ name, icon, act }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          class={name === 'delete' ? 'option row bad' : 'option row'}
          onClick={() => {
            close()
            opened.from.focus({ preventScroll: true })
            act()
          }}
        >
          <Icon name={icon} />
          {message.menu[name]}
        </button>
      ))}
    </Menu>
  )
}

function askToDelete(chatId: number, ids: number[]): void {
  const { deleteTitle, deleteHint } = words.value.message
  if (!confirm(`${deleteTitle(ids.length)}\n${deleteHint}`)) return
  void attempt(() => act('/chats/:id/deletions', { message_ids: ids }, chatId))
}
