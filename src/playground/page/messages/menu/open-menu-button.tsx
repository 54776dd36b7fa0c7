import { Icon } from '../../parts/icons.tsx'
import { words } from '../../words/language.ts'
import { type MenuTarget, openMenu } from './opened-menu.ts'

/** Opens the menu of a message, while the pointer is over it. The keyboard has Enter on the message itself. */
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
        const from = button.closest<HTMLElement>('.bubble') ?? button
        openMenu(target, { x: box.left, y: box.bottom, from })
      }}
    >
      <Icon name="down" />
    </button>
  )
}
