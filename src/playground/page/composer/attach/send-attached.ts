import { toast } from '../../dialogs/notices.ts'
import { route } from '../../route.ts'
import { words } from '../../words/language.ts'
import type { Writing } from '../field/use-writing.ts'
import { type SendAs, toAlbums } from './attachment.ts'
import { sendFiles } from './uploads.ts'
import type { Attaching } from './use-attaching.ts'

/** Sends what is attached with its caption, as an answer where one is being written. */
export function sendAttached(
  { chat, threadId, text, intent, giveBack, takeReply }: Writing,
  attaching: Attaching,
  { sendAs, caption }: { sendAs: SendAs; caption: string },
): void {
  const userId = route.value.as
  if (userId === undefined) return
  const first = attaching.files.value[0]?.file
  sendFiles({
    userId,
    caption,
    thread: { chatId: chat.id, threadId },
    albums: toAlbums(attaching.files.value, sendAs),
    replyTo: takeReply(),
    onRefusal: (file, detail) => {
      const { compose, shell } = words.value
      const why = detail || shell.problems.offline
      toast(compose.notSent(file.name, why), { isProblem: true })
      if (file === first) giveBack(caption)
    },
  })
  // It went as the caption. A message that is being edited keeps its text.
  if (intent?.type !== 'edit') text.value = ''
  attaching.clear()
}
