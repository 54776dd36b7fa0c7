import type { RichBlockButtons, RichMessageButton } from 'grammy/types'
import { RichText } from '../rich/rich-text.tsx'
import { RichButton } from './message-button.tsx'

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
