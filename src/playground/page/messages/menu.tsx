import { signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { WireMessage } from '../../web/api.ts'
import { Avatar } from '../parts/avatar.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Icon, type IconName } from '../parts/icons.tsx'
import { attempt, toast } from '../parts/notices.tsx'
import type { ChatState } from '../state/chat-state.ts'
import { chatsInOrder, hasTopics } from '../state/chats.ts'
import { setIntent } from '../state/drafts.ts'
import { faceOf, titleOf } from '../state/people.ts'
import { act } from '../state/request.ts'
import { show } from '../state/route.ts'
import { words } from '../words/language.ts'
import { copyText } from './text.tsx'

/** The distance of a menu from the edges of the page, in pixels. */
const EDGE_PX = 8
/** A finger that rests so long opens the menu. */
const LONG_PRESS_MS = 500
/** A finger that moves further scrolls. */
const REST_PX = 10

/** One message, or the messages of an album. */
interface MenuTarget {
  chat: ChatState
  threadId: number
  wires: readonly WireMessage[]
  isOwn: boolean
}

interface OpenedMenu extends MenuTarget {
  x: number
  y: number
  /** The selected part of the message. */
  selection: string
  /** The bubble, which gets the focus back. */
  from: HTMLElement
}

interface Chosen {
  chat: ChatState
  ids: readonly number[]
}

const openedMenu = signal<OpenedMenu | undefined>(undefined)
const forwarded = signal<Chosen | undefined>(undefined)
const askedToDelete = signal<Chosen | undefined>(undefined)

type On<E extends Event> = E & { currentTarget: HTMLElement }

let finger: { x: number; y: number; timer: ReturnType<typeof setTimeout> } | undefined

/** Opens the menu of a message by the right button, a long press, the menu key or Enter. */
export function menuHandlers(target: MenuTarget) {
  return {
    onContextMenu(event: On<MouseEvent>): void {
      // Links and media have a menu of the browser.
      if (event.target instanceof Element && event.target.closest('a, video, audio')) return
      event.preventDefault()
      openMenu(target, event.currentTarget, { x: event.clientX, y: event.clientY })
    },
    onKeyDown(event: On<KeyboardEvent>): void {
      if (event.key !== 'Enter' || event.target !== event.currentTarget) return
      event.preventDefault()
      openMenu(target, event.currentTarget, { x: 0, y: 0 })
    },
    onPointerDown(event: On<PointerEvent>): void {
      if (event.pointerType !== 'touch') return
      const { clientX: x, clientY: y, currentTarget: from } = event
      clearTimeout(finger?.timer)
      finger = { x, y, timer: setTimeout(() => openMenu(target, from, { x, y }), LONG_PRESS_MS) }
    },
    onPointerMove({ clientX, clientY }: PointerEvent): void {
      if (finger && Math.hypot(clientX - finger.x, clientY - finger.y) > REST_PX) forgetFinger()
    },
    onPointerUp: forgetFinger,
    onPointerCancel: forgetFinger,
  }
}

function forgetFinger(): void {
  clearTimeout(finger?.timer)
  finger = undefined
}

/** A key has no position: the menu opens inside the message. */
function openMenu(target: MenuTarget, from: HTMLElement, { x, y }: { x: number; y: number }): void {
  const box = from.getBoundingClientRect()
  const hasPosition = x > 0 || y > 0
  const position = hasPosition ? { x, y } : { x: box.left + 24, y: Math.max(box.top, 0) + 24 }
  openedMenu.value = { ...target, ...position, from, selection: selectionIn(from) }
}

function selectionIn(bubble: HTMLElement): string {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed) return ''
  const { anchorNode, focusNode } = selection
  const isInside = bubble.contains(anchorNode) && bubble.contains(focusNode)
  return isInside ? selection.toString().trim() : ''
}

/** Shows a button of a message while the pointer is over it. The keyboard has Enter. */
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
        const box = button.getBoundingClientRect()
        const bubble = button.closest<HTMLElement>('.bubble') ?? button
        openMenu(target, bubble, { x: box.left, y: box.bottom })
      }}
    >
      <Icon name="down" />
    </button>
  )
}

interface MenuItem {
  name: 'reply' | 'quote' | 'edit' | 'copySelected' | 'copy' | 'forward' | 'delete'
  icon: IconName
  act: () => void
}

function itemsOf({ chat, threadId, wires, isOwn, selection, from }: OpenedMenu): MenuItem[] {
  const [wire] = wires
  if (wire === undefined) return []
  const thread = { chatId: chat.id, threadId }
  const ids = wires.map(({ message }) => message.message_id)
  const text = wire.message.text ?? wire.message.caption
  const all = text ?? from.querySelector<HTMLElement>('.rich')?.innerText ?? ''
  const items: MenuItem[] = []
  const offer = (name: MenuItem['name'], icon: IconName, act: () => void) =>
    items.push({ name, icon, act })
  offer('reply', 'reply', () => setIntent(thread, { type: 'reply', message: wire }))
  const quoted = wires.find((one) => canQuote(one, selection))
  if (selection !== '' && quoted !== undefined) {
    const intent = { type: 'reply', message: quoted, quote: selection } as const
    offer('quote', 'quote', () => setIntent(thread, intent))
  }
  if (isOwn && wire.message.text !== undefined && wire.message.forward_origin === undefined) {
    offer('edit', 'edit', () => setIntent(thread, { type: 'edit', message: wire }))
  }
  if (selection !== '') offer('copySelected', 'copy', () => void copy(selection))
  if (all !== '') offer('copy', 'copy', () => void copy(all))
  offer('forward', 'share', () => {
    forwarded.value = { chat, ids }
  })
  // In a private chat everything can be deleted for both; elsewhere only own messages.
  if (isOwn || chat.info.value.chat.type === 'private') {
    offer('delete', 'trash', () => {
      askedToDelete.value = { chat, ids }
    })
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

/** Shows the actions of the pressed message. */
export function MessageMenu() {
  const opened = openedMenu.value
  return opened === undefined ? null : <Menu opened={opened} />
}

function Menu({ opened }: { opened: OpenedMenu }) {
  const menu = useRef<HTMLDivElement>(null)
  const close = () => {
    openedMenu.value = undefined
  }
  useLayoutEffect(() => {
    if (menu.current !== null) positionMenu(menu.current, opened)
    const onPointer = ({ target }: PointerEvent) => {
      if (target instanceof Node && menu.current?.contains(target) !== true) close()
    }
    addEventListener('pointerdown', onPointer, { capture: true })
    addEventListener('resize', close)
    return () => {
      removeEventListener('pointerdown', onPointer, { capture: true })
      removeEventListener('resize', close)
    }
  }, [opened])
  const { message } = words.value
  return (
    <div
      ref={menu}
      class="message-menu"
      role="menu"
      tabIndex={-1}
      // Manual: lifting the finger of a long press would close an automatic popover.
      popover="manual"
      aria-label={message.actions}
      onKeyDown={(event) => {
        event.stopPropagation()
        const isEnd = event.key === 'Escape' || event.key === 'Tab'
        if (isEnd) {
          close()
          opened.from.focus()
        } else if (menu.current === null || !moveFocus(menu.current, event.key)) return
        event.preventDefault()
      }}
    >
      {itemsOf(opened).map(({ name, icon, act }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          class={name === 'delete' ? 'option bad' : 'option'}
          onClick={() => {
            close()
            // Before a dialog opens, which returns the focus to where it was.
            opened.from.focus({ preventScroll: true })
            act()
          }}
        >
          <Icon name={icon} />
          {message.menu[name]}
        </button>
      ))}
    </div>
  )
}

function positionMenu(menu: HTMLElement, { x, y }: { x: number; y: number }): void {
  if (!menu.matches(':popover-open')) menu.showPopover()
  const { width, height } = menu.getBoundingClientRect()
  menu.style.left = `${clamp(x, innerWidth - width - EDGE_PX)}px`
  menu.style.top = `${clamp(y, innerHeight - height - EDGE_PX)}px`
  menu.querySelector<HTMLElement>('.option')?.focus({ preventScroll: true })
}

/** @returns Whether the key moved the focus. */
function moveFocus(menu: HTMLElement, key: string): boolean {
  const items = [...menu.querySelectorAll<HTMLElement>('.option')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const indexes: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowUp: at - 1,
    Home: 0,
    End: items.length - 1,
  }
  const next = indexes[key]
  if (next === undefined) return false
  items.at(next % items.length)?.focus()
  return true
}

function clamp(value: number, max: number): number {
  return Math.max(EDGE_PX, Math.min(value, max))
}

/** Asks before messages are deleted. */
export function DeleteDialog() {
  const asked = askedToDelete.value
  if (asked === undefined) return null
  const { cancel, message } = words.value
  const close = () => {
    askedToDelete.value = undefined
  }
  return (
    <Dialog title={message.deleteTitle(asked.ids.length)} onClose={close}>
      <p>{message.deleteHint}</p>
      <div class="dialog-buttons">
        <button type="button" class="button" onClick={close}>
          {cancel}
        </button>
        <button
          type="button"
          class="button button-danger"
          onClick={() => {
            close()
            const body = { message_ids: [...asked.ids] }
            void attempt(() => act('/chats/:id/deletions', body, asked.chat.id))
          }}
        >
          {message.menu.delete}
        </button>
      </div>
    </Dialog>
  )
}

/** Asks for the chat or topic that messages are forwarded to, and opens it. */
export function ForwardDialog() {
  const chosen = forwarded.value
  if (chosen === undefined) return null
  const close = () => {
    forwarded.value = undefined
  }
  return (
    <Dialog title={words.value.message.forwardTo} onClose={close}>
      <ul class="target-list">
        {chatsInOrder.value.flatMap(targetsOf).map(({ chat, threadId, name }) => (
          <li key={`${chat.id}/${threadId}`}>
            <button
              type="button"
              class="option"
              onClick={() => {
                close()
                void attempt(() => forward(chosen, chat, threadId))
              }}
            >
              <Avatar id={faceOf(chat.info.value.chat)} name={name} size="small" />
              <span class="cut">{name}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

function targetsOf(chat: ChatState): { chat: ChatState; threadId: number; name: string }[] {
  const info = chat.info.value
  const title = titleOf(info.chat)
  if (!hasTopics(info)) return [{ chat, threadId: 0, name: title }]
  return [
    { chat, threadId: 0, name: `${title} · ${words.value.shell.general}` },
    ...info.topics.map(({ thread_id: threadId, name }) => {
      return { chat, threadId, name: `${title} · ${name}` }
    }),
  ]
}

async function forward({ chat, ids }: Chosen, to: ChatState, threadId: number): Promise<void> {
  const body = {
    from_chat_id: chat.id,
    message_ids: [...ids],
    ...(threadId !== 0 && { thread_id: threadId }),
  }
  await act('/chats/:id/forwards', body, to.id)
  show({ chatId: to.id, threadId: hasTopics(to.info.value) ? threadId : undefined })
}
