import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'

/**
 * Shows a button and the menu that it opens. Escape, a press elsewhere and a choice close the menu; arrows move
 * between its options.
 */
export function Popover(props: {
  class: string
  label?: string
  button: ComponentChildren
  /** The edge of the button that the menu is aligned to. */
  side?: 'left' | 'right'
  children: (close: () => void) => ComponentChildren
}) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const whole = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!isOpen) return undefined
    const onPointer = ({ target }: PointerEvent) => {
      if (target instanceof Node && whole.current?.contains(target) !== true) setOpen(false)
    }
    addEventListener('pointerdown', onPointer)
    return () => removeEventListener('pointerdown', onPointer)
  }, [isOpen])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys are those of the buttons inside.
    <div ref={whole} class="menu-host" onKeyDown={onKeyDown}>
      <button
        ref={button}
        type="button"
        class={props.class}
        aria-label={props.label}
        title={props.label}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setOpen(!isOpen)}
      >
        {props.button}
      </button>
      {isOpen ? (
        <div id={id} class="menu-card" data-side={props.side ?? 'left'}>
          {props.children(close)}
        </div>
      ) : null}
    </div>
  )

  function close(): void {
    setOpen(false)
    button.current?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (!isOpen) return
    if (event.key === 'Escape') {
      event.stopPropagation()
      close()
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    // Arrows inside a group of radio buttons are the browser's own.
    if (step === undefined || document.activeElement instanceof HTMLInputElement) return
    event.preventDefault()
    const items = [...(whole.current?.querySelectorAll<HTMLElement>('.option') ?? [])]
    const at = items.findIndex((item) => item.matches(':focus'))
    items.at((at + step + (at === -1 && step < 0 ? 1 : 0)) % items.length)?.focus()
  }
}
