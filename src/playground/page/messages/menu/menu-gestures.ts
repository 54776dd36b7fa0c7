import { type MenuTarget, openMenu } from './opened-menu.ts'

/** How long a finger rests before that means a menu. */
const LONG_PRESS_MS = 500
/** A finger that goes further is scrolling. */
const REST_PX = 10

interface Finger {
  x: number
  y: number
  timer: ReturnType<typeof setTimeout>
}

type On<E extends Event> = E & { currentTarget: HTMLElement }

/** There is one finger whose rest counts. */
let finger: Finger | undefined

/** Opens the menu of a message by the right button, a long press, the menu key or Enter. */
export function menuHandlers(target: MenuTarget) {
  return {
    onContextMenu(event: On<MouseEvent>): void {
      // A link and a clip have a menu of the browser's own.
      if (event.target instanceof Element && event.target.closest('a, video, audio')) return
      event.preventDefault()
      open(target, event.currentTarget, { x: event.clientX, y: event.clientY })
    },
    onKeyDown(event: On<KeyboardEvent>): void {
      if (event.key !== 'Enter' || event.target !== event.currentTarget) return
      event.preventDefault()
      open(target, event.currentTarget, { x: 0, y: 0 })
    },
    onPointerDown(event: On<PointerEvent>): void {
      if (event.pointerType !== 'touch') return
      const { clientX: x, clientY: y, currentTarget: from } = event
      clearTimeout(finger?.timer)
      finger = { x, y, timer: setTimeout(() => open(target, from, { x, y }), LONG_PRESS_MS) }
    },
    onPointerMove({ clientX, clientY }: PointerEvent): void {
      if (finger && Math.hypot(clientX - finger.x, clientY - finger.y) > REST_PX) letGo()
    },
    onPointerUp: letGo,
    onPointerCancel: letGo,
  }
}

function letGo(): void {
  clearTimeout(finger?.timer)
  finger = undefined
}

/** The menu key has no position of its own: the menu opens inside of the message then. */
function open(target: MenuTarget, from: HTMLElement, { x, y }: { x: number; y: number }): void {
  const box = from.getBoundingClientRect()
  const hasPosition = x > 0 || y > 0
  const position = hasPosition ? { x, y } : { x: box.left + 24, y: Math.max(box.top, 0) + 24 }
  openMenu(target, { ...position, from })
}
