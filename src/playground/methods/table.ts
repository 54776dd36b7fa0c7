import { codePoints } from '../content/text.ts'
import { badRequest } from '../wire/envelope.ts'
import { boolOf, textOf } from '../wire/params.ts'
import { absentMethods } from './absent.ts'
import { memberMethods } from './chats/members.ts'
import { pinMethods } from './chats/pins.ts'
import { promotionMethods } from './chats/promotions.ts'
import { restrictionMethods } from './chats/restrictions.ts'
import { settingMethods } from './chats/settings.ts'
import { topicMethods } from './chats/topics.ts'
import { commandMethods } from './commands.ts'
import { defaultRightsMethods } from './default-rights.ts'
import { deletionMethods } from './deletions.ts'
import { editMethods } from './edits.ts'
import { menuButtonMethods } from './menu-button.ts'
import type { Method } from './method.ts'
import { profileMethods } from './profile.ts'
import { reactionMethods } from './reactions.ts'
import { forwardMethods } from './sending/forwards.ts'
import { pollMethods } from './sending/polls.ts'
import { cardMethods } from './sending/send-cards.ts'
import { sendMethods } from './sending/send-messages.ts'
import { whileWritingMethods } from './sending/while-writing.ts'
import { updateMethods } from './updates.ts'

const ANSWER_CHARS_MAX = 200

const getMe: Method = (_call, { world }) => ({ result: world.me })

const getFile: Method = ({ params }, { files }) => {
  const fileId = textOf(params, 'file_id')
  const { file, path } = files.openPath(fileId)
  const { uniqueId, size } = file
  return {
    result: { file_id: fileId, file_unique_id: uniqueId, file_size: size, file_path: path },
  }
}

const answerCallbackQuery: Method = ({ params }, { callbackQueries }) => {
  const text = textOf(params, 'text')
  if (codePoints(text) > ANSWER_CHARS_MAX) throw badRequest('MESSAGE_TOO_LONG')
  callbackQueries.answer(textOf(params, 'callback_query_id'), {
    text,
    showAlert: boolOf(params, 'show_alert'),
    url: textOf(params, 'url'),
  })
  return { result: true }
}

/** The methods that are built, as the documentation spells them. */
export const METHODS: Readonly<Record<string, Method>> = {
  answerCallbackQuery,
  getFile,
  getMe,
  ...commandMethods,
  ...absentMethods,
  ...cardMethods,
  ...defaultRightsMethods,
  ...deletionMethods,
  ...editMethods,
  ...forwardMethods,
  ...pollMethods,
  ...memberMethods,
  ...menuButtonMethods,
  ...pinMethods,
  ...profileMethods,
  ...promotionMethods,
  ...reactionMethods,
  ...restrictionMethods,
  ...sendMethods,
  ...settingMethods,
  ...topicMethods,
  ...updateMethods,
  ...whileWritingMethods,
}

const BY_LOWER_CASE = new Map(
  Object.entries(METHODS).map(([name, method]) => [name.toLowerCase(), method]),
)

/** Finds a method by its name: case does not matter, spelling does. */
export function findMethod(name: string): Method | undefined {
  return BY_LOWER_CASE.get(name.toLowerCase())
}
