import type { WireAction } from '../../../web/api.ts'
import { bot } from '../../state/people.ts'
import { words } from '../../words/language.ts'

/** Shows what the bot is doing, below the last message. */
export function ActionLine({ action }: { action: WireAction | undefined }) {
  const name = bot.value?.me.first_name ?? ''
  return (
    <p class="action-line small" role="status">
      {action === undefined ? null : (
        <>
          <span class="action-dots" aria-hidden="true">
            <span />
            <span />
            <span />
          </span>
          {describe(action.action, name)}
        </>
      )}
    </p>
  )
}

/** An action that has no words of its own is work like any other. */
function describe(action: string, name: string): string {
  const { actionsOf } = words.value.message
  switch (action) {
    case 'upload_photo':
      return actionsOf.photo(name)
    case 'record_video':
    case 'upload_video':
    case 'record_video_note':
    case 'upload_video_note':
      return actionsOf.video(name)
    case 'record_voice':
    case 'upload_voice':
      return actionsOf.voice(name)
    case 'upload_document':
      return actionsOf.file(name)
    case 'choose_sticker':
      return actionsOf.sticker(name)
    case 'find_location':
      return actionsOf.location(name)
    default:
      return actionsOf.typing(name)
  }
}
