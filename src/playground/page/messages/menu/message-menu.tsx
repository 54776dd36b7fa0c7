import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from '../../parts/icons.tsx'
import { words } from '../../words/language.ts'
import { toggleReaction } from '../actions.ts'
import { itemsOf } from './menu-items.ts'
import { type OpenedMenu, openedMenu } from './opened-menu.ts'

/** How far a menu stays from the edges of the page, in pixels. */
const EDGE_PX = 8

const REACTIONS = ['👍', '👎', '❤', '🔥', '🎉', '😁', '🤔'] as const

/** The menu of the message that was pressed: reactions, and what can be done with it. */
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
      // By hand: the finger whose long press opened it would close it as it goes up.
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
      <ReactionChoice opened={opened} onDone={close} />
      {itemsOf(opened).map(({ name, icon, act }) => (
        <button
          key={name}
          type="button"
          role="menuitem"
          class={name === 'delete' ? 'menu-item bad' : 'menu-item'}
          onClick={() => {
            close()
            // Before a dialog opens, which gives the focus back to where it was.
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

function ReactionChoice({ opened, onDone }: { opened: OpenedMenu; onDone: () => void }) {
  const [wire] = opened.wires
  if (wire === undefined) return null
  return (
    <div class="menu-reactions" role="none">
      {REACTIONS.map((emoji) => (
        <button
          key={emoji}
          type="button"
          role="menuitem"
          class="menu-reaction"
          aria-label={words.value.message.react(emoji)}
          onClick={() => {
            onDone()
            opened.from.focus({ preventScroll: true })
            void toggleReaction(opened.chat, wire, { type: 'emoji', emoji })
          }}
        >
          {emoji}
        </button>
      ))}
    </div>
  )
}

/** Opens a menu where it was asked for, shifted as far as it needs to be whole, and goes into it. */
function positionMenu(menu: HTMLElement, { x, y }: { x: number; y: number }): void {
  if (!menu.matches(':popover-open')) menu.showPopover()
  const { width, height } = menu.getBoundingClientRect()
  menu.style.left = `${clamp(x, innerWidth - width - EDGE_PX)}px`
  menu.style.top = `${clamp(y, innerHeight - height - EDGE_PX)}px`
  menu.querySelector<HTMLElement>('.menu-item')?.focus({ preventScroll: true })
}

/**
 * Goes from one item of a menu to another.
 *
 * @returns Whether the key is one that does.
 */
function moveFocus(menu: HTMLElement, key: string): boolean {
  const items = [...menu.querySelectorAll<HTMLElement>('[role="menuitem"]')]
  const at = items.indexOf(document.activeElement as HTMLElement)
  const indexes: Record<string, number> = {
    ArrowDown: at + 1,
    ArrowRight: at + 1,
    ArrowUp: at - 1,
    ArrowLeft: at - 1,
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
