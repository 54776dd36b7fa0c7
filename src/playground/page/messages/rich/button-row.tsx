import type { RichBlockButtons, RichMessageButton } from 'grammy/types'
import { RichButton } from './message-button.tsx'
import { RichText } from './rich-text.tsx'

/** Buttons of a rich message in one row. */
export function ButtonRow({
  buttons,
  align,
}: {
  buttons: readonly RichMessageButton[]
  align: RichBlockButtons['align']
}) {
  return (
    <div class="chip-row" data-align={align}>
      {buttons.map((button, index) => (
        <RichButton key={index} button={button}>
          <RichText text={button.text} />
        </RichButton>
      ))}
    </div>
  )
}
