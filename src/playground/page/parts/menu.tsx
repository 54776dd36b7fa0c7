import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'

const EDGE_PX = 8

interface MenuProps {
  id?: string
  label?: string | undefined
  role?: 'menu' | 'group'
  at: { x: number; y: number }
  widthMin?: number
  onClose: () => void
  from: HTMLElement
  children: ComponentChildren
}

/**
 * Shows a menu above the page. Escape, Tab, a press elsewhere and a choice close it; arrows move between its options.
 */
export function Menu(props: MenuProps) {
  const { at, from, onClose } = props
  const host = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current: menu } = host
    if (menu === null) return undefined
    menu.showPopover()
    const { width, height } = menu.getBoundingClientRect()
    menu.style.left = `${clamp(at.x, innerWidth - width - EDGE_PX)}px`
    menu.style.top = `${clamp(at.y, innerHeight - height - EDGE_PX)}px`
    menu.querySelector<HTMLElement>('.option')?.focus({ preventScroll: true })
    const onPointer = ({ target }: PointerEvent) => {
      // The button of an open menu closes it by itself.
      if (!(target instanceof Element) || target.closest('[aria-expanded="true"]')) return
      if (!menu.contains(target)) onClose()
    }
    addEventListener('pointerdown', onPointer, { capture: true })
    addEventListener('resize', onClose)
    return () => {
      removeEventListener('pointerdown', onPointer, { capture: true })
      removeEventListener('resize', onClose)
    }
  }, [at])
  return (
    // biome-ignore lint/a11y: the role is one of the two above, and keys are those of the options inside.
    <div
      ref={host}
      id={props.id}
      class="menu"
      role={props.role ?? 'group'}
      aria-label={props.label}
      style={{ minWidth: props.widthMin }}
      popover="manual"
      onKeyDown={(event) => {
        event.stopPropagation()
        const isEnd = event.key === 'Escape' || event.key === 'Tab'
        if (isEnd) {
          onClose()
          from.focus()
        } else if (!moveFocus(host.current, event.key)) return
        event.preventDefault()
      }}
    >
      {props.children}
    </div>
  )
}

function moveFocus(menu: HTMLElement | null, key: string): boolean {
  // Arrows inside a group of radio buttons are the browser's own.
  if (menu === null || document.activeElement instanceof HTMLInputElement) return false
  const options = [...menu.querySelectorAll<HTMLElement>('.option')]
  const at = options.indexOf(document.activeElement as HTMLElement)
  const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }
  const next = steps[key]
  if (next === undefined) return false
  options.at(next % options.length)?.focus()
  return true
}

function clamp(value: number, max: number): number {
  return Math.max(EDGE_PX, Math.min(value, max))
}

export function MenuButton(props: {
  class: string
  label?: string
  button: ComponentChildren
  children: (close: () => void) => ComponentChildren
}) {
  const [box, setBox] = useState<DOMRect | undefined>()
  const button = useRef<HTMLButtonElement>(null)
  const id = useId()
  const close = () => setBox(undefined)
  return (
    <>
      <button
        ref={button}
        type="button"
        class={props.class}
        aria-label={props.label}
        title={props.label}
        aria-expanded={box !== undefined}
        aria-controls={box && id}
        onClick={({ currentTarget }) =>
          setBox(box ? undefined : currentTarget.getBoundingClientRect())
        }
      >
        {props.button}
      </button>
      {box !== undefined && button.current !== null ? (
        <Menu
          id={id}
          at={{ x: box.left, y: box.bottom + 4 }}
          widthMin={box.width}
          from={button.current}
          onClose={close}
        >
          {props.children(() => {
            close()
            button.current?.focus()
          })}
        </Menu>
      ) : null}
    </>
  )
}
